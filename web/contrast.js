// "Why not this word?": the chosen token against another of the ten best, and which words and parts make the
// difference.
(function(gloss) {
"use strict";

const {make} = gloss;
const STRONGEST = 12;  // rows before "Show all"

// (log p[chosen] - log p[other]) in base, minus the same with something removed: positive if that favors the chosen
// one.
gloss.contrastOf = (item, t, other) => {
  const base = gloss.array(item.candidates.log_probabilities);
  const k = gloss.chosenIndex(item, t);
  const difference = base.at(t, k) - base.at(t, other);
  const shares = (stored) => {
    const array = gloss.array(stored);
    return Array.from({length: array.shape[0]}, (_, i) => difference - (array.at(i, t, k) - array.at(i, t, other)));
  };
  const {interventions} = item;
  return {
    difference,
    words: interventions && interventions.words ? shares(interventions.words.log_probabilities) : null,
    parts: interventions && interventions.parts ? shares(interventions.parts.log_probabilities) : null,
  };
};

gloss.contrast = (item, t) => {
  if (!item.candidates) return gloss.absent("The candidates of the steps are not in the document.");
  const ids = item.candidates.ids[t];
  const chosen = gloss.chosenIndex(item, t);
  const name = (k) => String(item.names[ids[k]] ?? ids[k]);
  const others = ids.map((_, k) => k).filter((k) => k !== chosen);
  if (others.length === 0) return gloss.absent("There is no other candidate at this step.");
  const view = make("div");
  const draw = (other) => {
    const {difference, words, parts} = gloss.contrastOf(item, t, Number(other));
    const strongest = (rows) => rows.sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
    const byPart = parts && parts.length > 0 &&
      strongest(item.interventions.parts.names.map((part, i) => ({name: part, value: parts[i]})));
    const byWord = words && strongest(words.map((value, w) => ({name: `${w} ${item.source.words[w].text}`, value})));
    const factor = Math.exp(Math.abs(difference));
    gloss.replace(view,
      make("p", null, `log p(“${name(chosen)}”) − log p(“${name(Number(other))}”) = `,
        make("strong", null, gloss.signed(difference)),
        `: the chosen token is ${factor < 1000 ? gloss.format(factor) : factor.toExponential(1)} times as ${
          difference >= 0 ? "likely" : "unlikely"}.`),
      byWord || byPart
        ? make("div", {class: "beside"},
            byWord &&
              gloss.figure("By source word: the change of the difference if it is hidden; orange: it falls.",
                gloss.bars(byWord, {label: "Difference by source word", more: STRONGEST})),
            byPart &&
              gloss.figure("By head and layer: the change of the difference if it is removed; orange: it falls.",
                gloss.bars(byPart, {label: "Difference by part", more: STRONGEST})))
        : gloss.absent("Which words and heads make the difference was not computed (--quick)."));
  };
  draw(others[0]);
  return [
    make("p", null, `Step ${t}: the translation has `, make("strong", null, `“${name(chosen)}”`),
      ". Orange bars favor it, blue bars the other token."),
    make("div", {class: "controls"},
      gloss.select("Other token", others.map((value) => ({value, text: name(value)})), others[0], draw)),
    view
  ];
};
})((window.gloss = window.gloss || {}));
