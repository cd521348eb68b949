// Section 4: the masks of the pass, and the same masks with padding.
(function(gloss) {
"use strict";

const {make} = gloss;
const MASKS = {
  "encoder.self": {
    title: "Encoder self-attention: padding",
    text: "All source positions see each other. Padding and hidden words are seen by none.",
    sides: ["source", "source"],
  },
  "decoder.self": {
    title: "Decoder self-attention: causal and padding",
    text: "Position t sees the positions up to t, so that it cannot see what it is to predict.",
    sides: ["input", "input"],
  },
  "decoder.cross": {
    title: "Cross-attention: padding",
    text: "Each target position sees all source positions but padding and hidden words. " +
      "A row has the name of the piece that its query predicts.",
    sides: ["predicted", "source"],
    rowName: "Query → predicts",
  },
};

// The mask of a batch whose longest sentence has `padding` more positions. They see what the last position sees.
function padded(visible, padding) {
  const [rows, columns] = visible.shape;
  return gloss.computed(
    [rows + padding, columns + padding], (i, j) => j < columns ? visible.at(Math.min(i, rows - 1), j) : 0);
}

// The encoder's mask if it is causal, too.
const CAUSAL_ENCODER = {
  ...MASKS["encoder.self"],
  title: "Encoder self-attention: causal and padding",
  text: "Source position s sees the positions up to s. Padding and hidden words are seen by none.",
};

function maskFigure({name, visible}, labels, padding, network) {
  const causal = name === "encoder.self" && network.encoder_mask === "causal";
  const {title, text, sides, rowName = "Query"} = causal ? CAUSAL_ENCODER : MASKS[name];
  const array = padded(gloss.array(visible), padding);
  const pads = Array(padding).fill("<pad>");
  const [rows, columns] = sides.map((side) => [...labels[side], ...pads]);
  const map = gloss.heatMap({
    array,
    name: title,
    rowLabels: rows,
    columnLabels: columns,
    rowName,
    columnName: "Key",
    low: 0,
    high: 1.4,
    maxCell: 16,
    minCell: 2,
    numbers: false,
    legend: false,
    describe: (i, j) => `query ${gloss.position(i, rows[i])} ${array.at(i, j) ? "sees" : "does not see"} ` +
      `key ${gloss.position(j, columns[j])}`,
  });
  return gloss.figure(text, make("h4", null, title), map);
}

gloss.sections.push({
  id: "masks",
  title: "Masks",
  render({item, model}) {
    const network = gloss.network(model);
    const masks = (item.masks || []).filter(({name, visible}) => MASKS[name] && gloss.array(visible).size > 0);
    if (masks.length === 0) {
      return gloss.absent(
        network.attends ? "The document holds no masks." : "A network without attention has no masks.");
    }
    const labels = gloss.labels(item);
    const hidden = gloss.hiddenWords(item).map((w) => gloss.position(w, labels.words[w] ?? "?"));
    const view = make("div", {class: "beside"});
    const draw = (padding) => gloss.replace(view, masks.map((mask) => maskFigure(mask, labels, padding, network)));
    draw(0);
    const text = "A mask is a table of what may be seen. Before the softmax, the score of a hidden position becomes " +
      "−∞, so that its weight is 0. A sentence alone needs no padding; in a batch it is filled up to the longest.";
    return [
      gloss.explanation(text,
        [
          ["Formula", "softmax(scores + (visible ? 0 : −∞))"],
          ["Shape", "[queries, keys], true = visible"],
        ]),
      hidden.length > 0 ? make("p", null, `Hidden by the mask: source words ${hidden.join(", ")}.`) : null,
      make("div", {class: "controls"}, gloss.slider("Padding", {min: 0, max: 6, step: 1, value: 0}, draw)),
      view,
    ];
  },
});
})((window.gloss = window.gloss || {}));
