// Section 8: the way from text to probabilities, stage by stage.
(function(gloss) {
"use strict";

const {make} = gloss;

function merges(list) {
  const steps = make("div", {class: "merges"});
  const state = {word: 0, step: 0};
  const slider = gloss.slider("Merge", {min: 0, max: 1, step: 1, value: 0}, (step) => {
    state.step = step;
    draw();
  });
  function draw() {
    const word = list[state.word];
    slider.querySelector("input").max = word.steps.length - 1;
    gloss.replace(steps,
      word.steps.map(
        (pieces, i) => make("div", {class: i === state.step ? "merge now"
            : i < state.step                                ? "merge"
                                                            : "merge later"},
          make("span", {class: "merge-number"}, i),
          pieces.map((piece) => make(
                       "span", {class: i > 0 && !word.steps[i - 1].includes(piece) ? "piece new" : "piece"}, piece)))));
  }
  const choose = (word) => {
    state.word = Number(word);
    state.step = list[state.word].steps.length - 1;
    draw();
    slider.set(state.step);
  };
  choose(0);
  return make("div", null,
    make("div", {class: "controls"},
      gloss.select("Word", list.map(({word}, value) => ({value, text: word})), 0, choose), slider),
    steps);
}

function stageItem({name, shape, formula, lines, file}) {
  return make("li", null, make("div", null, make("strong", null, name), " ", make("span", {class: "shape"}, shape)),
    formula ? make("p", {class: "formula"}, formula) : null, make("pre", null, (lines || []).join("\n")),
    file ? make("p", {class: "file"}, file) : null);
}

function mergesPart(item) {
  if (!item.merges || item.merges.length === 0) return gloss.absent("This tokenizer has no merges.");
  const text = "Byte-pair encoding starts from characters and joins the pair that comes first in its list of " +
    "merges, until no pair of the list is left. New pieces are marked.";
  return [make("p", null, text), merges(item.merges)];
}

gloss.sections.push({
  id: "stages",
  title: "From text to probabilities",
  render({item}) {
    if (!item.stages || item.stages.length === 0) return gloss.absent("The document does not hold the stages.");
    return [
      gloss.explanation("Each stage with its shape, its formula, and the source file of gloss that computes it."),
      item.source.truncated ? make("p", null, "The sentence was longer than the limit and was cut.") : null,
      make("ol", {class: "stages"}, item.stages.map(stageItem)),
      make("h3", null, "Merges of a word"),
      mergesPart(item),
    ];
  },
});
})((window.gloss = window.gloss || {}));
