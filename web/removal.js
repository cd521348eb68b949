// Section 6: the loss and the translation without each part.
(function(gloss) {
"use strict";

const {make} = gloss;

const CLEAR = 0.01;  // a smaller fall of the loss is not pointed out

// The words of a translation; those that the base translation lacks are marked.
gloss.changedWords = (text, base) => {
  if (text === base) return [make("span", {class: "same"}, "the same")];
  if (text === "") return make("span", {class: "same"}, "(empty)");
  const known = new Map();
  base.split(" ").forEach((word) => known.set(word, (known.get(word) || 0) + 1));
  return text.split(" ").flatMap((word, i) => {
    const left = known.get(word) || 0;
    known.set(word, left - 1);
    return [i > 0 ? " " : "", left > 0 ? word : make("mark", null, word)];
  });
};

const GROUPS = [
  {title: "Layers and sublayers", kinds: ["layers", "sublayers"]},
  {title: "Heads", kinds: ["heads"]},
];
const kindOf = (name) => ["layers", "sublayers", "heads"][name.split(".").length - 2];

gloss.sections.push({
  id: "removal",
  title: "Without a part",
  render({item, model}) {
    const {interventions} = item;
    const without = item.without && item.without.length > 0
      ? make("p", null,
          `This sentence was translated without ${
            item.without.map(gloss.partName).join("; ")}. All maps above show that pass.`)
      : null;
    if (!interventions || !interventions.parts) {
      return [without, gloss.absent("The effect of each part was not computed for this sentence (--quick).")];
    }
    const {names, texts} = interventions.parts;
    if (names.length === 0) {
      return [
        without,
        gloss.absent("No part of this network can be removed by itself: it has neither attention nor " +
          "residual connections, past which the rest would go on.")
      ];
    }
    const losses = gloss.array(interventions.parts.loss);
    const rows =
      names.map((name, i) => ({name, value: losses.at(i) - interventions.loss, text: texts ? texts[i] : "", i}));
    const state = {order: "cost", kind: "all"};
    const view = make("div", {class: "scroll"});
    const of = (list, own) => list.filter(({name}) => own.includes(kindOf(name)));
    function draw() {
      const chosen = rows.filter(({name}) => state.kind === "all" || kindOf(name) === state.kind);
      chosen.sort(state.order === "cost" ? (a, b) => b.value - a.value : (a, b) => a.i - b.i);
      const groups = GROUPS.map(({title, kinds: own}) => ({title, list: of(chosen, own), all: of(rows, own)}))
                       .filter(({list}) => list.length > 0);
      gloss.replace(view,
        groups.map(
          ({title, list, all}) => [make("h4", null, title),
            gloss.bars(
              list.map(({name, value, text}) =>
                         ({name, value, note: make("span", null, gloss.changedWords(text, interventions.greedy))})),
              {
                label: `Loss without each part: ${title}`,
                high: Math.max(1e-9, ...all.map(({value}) => Math.abs(value)))
              }),
      ]));
    }
    draw();
    const kinds = [...new Set(names.map(kindOf))];
    return [
      gloss.explanation(`Each row removes one part: a head returns zeros, a layer or sublayer ${
                          gloss.network(model).residual ? "is skipped" : "returns zeros, too"}. ` +
          "The bar is the change of the loss on the translation above. " +
          (rows.some(({value}) => value < -CLEAR) ? `A part with a bar below −${CLEAR} was in the way.`
                                                  : `No part was in the way: no bar is below −${CLEAR}.`),
        [
          ["Formula", "loss = −(1/T) Σ log p(y_t | y_<t, x)"],
          ["Base", `loss ${gloss.format(interventions.loss)}; greedy translation “${interventions.greedy}”`],
        ]),
      without,
      make("div", {class: "controls"},
        gloss.select("Order", [{value: "cost", text: "by cost"}, {value: "network", text: "as in the network"}], "cost",
          (value) => {
            state.order = value;
            draw();
          }),
        kinds.length > 1 ? gloss.select("Parts", ["all", ...kinds], "all",
                             (value) => {
                               state.kind = value;
                               draw();
                             })
                         : null),
      gloss.figure("Part, change of the loss without it, and the greedy translation without it; " +
          "words that the base translation lacks are marked. Each group of bars has its own scale.",
        view),
    ];
  },
});
})((window.gloss = window.gloss || {}));
