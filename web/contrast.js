// "Why not this word?": the chosen token against another of the ten best, and which words and parts make the
// difference.
(function(gloss) {
"use strict";

const {make} = gloss;

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
    const byPart = parts &&
      item.interventions.parts.names.map((part, i) => ({name: part, value: parts[i]}))
        .sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
    const factor = Math.exp(Math.abs(difference));
    gloss.replace(view,
      make("p", null, `log p(“${name(chosen)}”) − log p(“${name(Number(other))}”) = `,
        make("strong", null, gloss.signed(difference)),
        `: the chosen token is ${factor < 1000 ? gloss.format(factor) : factor.toExponential(1)} times as ${
          difference >= 0 ? "likely" : "unlikely"}.`),
      words || parts
        ? make("div", {class: "beside"},
            words &&
              gloss.figure("By source word: the share of the difference that goes when the word is hidden.",
                gloss.bars(words.map((value, w) => ({name: item.source.words[w].text, value})),
                  {label: "Difference by source word"})),
            byPart &&
              gloss.figure("By head and layer: the share that goes when the part is removed.",
                gloss.bars(byPart, {label: "Difference by part", more: 12})))
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
