// Section 2: the layers of encoder and decoder: inputs and outputs of each sublayer, norms, similarity.
(function(gloss) {
"use strict";

const {make} = gloss;
const NAMES = {
  input: "Input",
  self: "Self-attention",
  recurrence: "Recurrence",
  cross: "Cross-attention",
  feed_forward: "Feed-forward",
  output: "Output"
};
const ORDER = ["input", "self", "recurrence", "cross", "feed_forward"];

// The panels of one layer share a scale, so that their colors can be compared; an outlier does not darken the rest.
function bound(arrays) {
  const sizes = [];
  for (const array of arrays) {
    const step = Math.max(1, Math.floor(array.size / 4000));
    for (let i = 0; i < array.size; i += step) sizes.push(Math.abs(array.read(i)));
  }
  sizes.sort((a, b) => a - b);
  return sizes[Math.floor(0.995 * (sizes.length - 1))] || 1;
}

// panels([{title, array}], labels): pictures [positions, columns] side by side with a common readout.
function panels(list, labels, own) {
  const common = bound(list.map(({array}) => array));
  const readout = make("p", {class: "readout", role: "status"});
  const row = make("div", {class: "panels"}, list.map(({title, array}) => {
    const high = own ? bound([array]) : common;
    return make("div", {class: "panel"}, make("h5", null, title), gloss.heatMap({
      array,
      name: title,
      rowLabels: labels,
      rowName: "",
      low: -high,
      high,
      diverging: true,
      minCell: 1,
      maxCell: 6,
      cellHeight: labels.length > 40 ? 3 : 12,
      numbers: false,
      legend: false,
      readout,
      describe: (i, j) =>
        `${title}, position ${gloss.position(i, labels[i])}, column ${j}: ${gloss.signed(array.at(i, j), array.scale)}`,
    }));
  }));
  return [row, readout];
}

// The vector that a layer returns: the sum of all layers so far if there are residual connections.
const upTo = (index, residual) => (residual ? `layers 0 to ${index}` : `layer ${index}`);

function layerPanels(layer, index, labels, own, columns, residual) {
  const list = ORDER.filter((name) => layer.vectors[name]).map((name) => ({
    title: name === "input" ? (index === 0 ? "Input: embeddings" : `Input: ${upTo(index - 1, residual)}`) : NAMES[name],
    array: gloss.array(layer.vectors[name]),
  }));
  return make("div", {class: "layer"}, make("h4", null, layer.part), panels(list, labels, own),
    columns > 1 ? make("p", {class: "note"}, `Each column is the mean of ${columns} neighboring columns.`) : null);
}

function norms(layers, labels) {
  const rows = layers.flatMap((layer) => [...ORDER, "output"].filter((name) => layer.norms[name]).map((name) => ({
    label: `${layer.part.split(".")[1]} ${NAMES[name].toLowerCase()}`,
    values: gloss.array(layer.norms[name])
  })));
  const array = gloss.computed([rows.length, labels.length], (i, j) => rows[i].values.at(j));
  return gloss.figure("Euclidean norm of each vector: the number before the name is the layer.", gloss.heatMap({
    array,
    name: "Norms",
    rowLabels: rows.map(({label}) => label),
    columnLabels: labels,
    rowName: "Vector",
    columnName: "Position",
    low: 0,
    cellHeight: 17,
    maxCell: 38,
    describe: (i, j) =>
      `norm of layer ${rows[i].label} at ${gloss.position(j, labels[j])}: ${gloss.format(array.at(i, j))}`,
  }));
}

function similarity(layers, labels) {
  const map = (layer) => ({
    array: gloss.array(layer.similarity),
    name: `Similarity after ${layer.part}`,
    describe: (i, j) => `cosine of ${gloss.position(i, labels[i])} and ${gloss.position(j, labels[j])} after ` +
      `${layer.part}: ${gloss.format(gloss.array(layer.similarity).at(i, j), gloss.array(layer.similarity).scale)}`,
  });
  const last = layers.length - 1;
  const view = gloss.heatMap({
    ...map(layers[last]),
    rowLabels: labels,
    columnLabels: labels,
    rowName: "Position",
    columnName: "Position",
    low: -1,
    high: 1,
    diverging: true,
    maxCell: 34
  });
  return make("div", null,
    make("div", {class: "controls"},
      gloss.select("Similarity after", layers.map(({part}, value) => ({value, text: part})), last,
        (value) => view.update(map(layers[value])))),
    gloss.figure("Cosine of the layer's outputs at each two positions: 1 is the same direction.", view));
}

function layersText({recurrent, residual}) {
  if (recurrent) {
    return "Every layer is a recurrence, which reads its input position by position and keeps a state. A layer of the " +
      "encoder has one in each direction, side by side.";
  }
  return residual ? "Every layer adds the outputs of its sublayers to its input, so that the vectors form a stream " +
      "through the layers."
                  : "Every sublayer returns its output alone: no residual connection adds its input.";
}

function layersFormula({recurrent, attends, post, normParts, layerFormula}) {
  if (recurrent) {
    return "h_t = GRU(x_t, h_t−1)" +
      (attends ? "; first layer of the decoder: h_t = GRU([x_t, c_t], h_t−1), c_t = Attention(h_t−1, memory)" : "");
  }
  const place = post ? "norm after the sum" : "norm before the sublayer";
  return `x ← ${layerFormula}${normParts ? ` (${place})` : ""}`;
}

gloss.sections.push({
  id: "stack",
  title: "The stack",
  render({item, model}) {
    if (!item.stack || item.stack.length === 0) return gloss.absent("The document holds no vectors of the layers.");
    const sides = ["encoder", "decoder"].filter((side) => item.stack.some(({part}) => part.startsWith(side)));
    const network = gloss.network(model);
    const state = {side: sides[0], own: false};
    const scaled = network.embedding_scale === "one" ? "Pieces" : "Pieces × √d_model";
    const view = make("div");
    function draw() {
      const layers = item.stack.filter(({part}) => part.startsWith(state.side));
      if (gloss.array(layers[0].vectors.input).size === 0) {
        gloss.replace(view, gloss.absent("There are no positions."));
        return;
      }
      const labels = state.side === "encoder" ? gloss.labels(item).source : gloss.labels(item).input;
      const embedding = item.embedding && item.embedding[state.side === "encoder" ? "source" : "target"];
      const columns = Math.round(model.config.d_model / gloss.array(layers[0].vectors.input).shape[1]);
      gloss.replace(view,
        embedding &&
          make("div", {class: "layer"}, make("h4", null, "Embeddings"),
            panels(
              network.addsPositions
                ? [
                    {title: scaled, array: gloss.array(embedding.tokens)},
                    {title: "+ positions", array: gloss.array(embedding.positions)},
                    {title: "= input of layer 0", array: gloss.array(embedding.sum)}
                  ]
                : [{title: `${scaled} = input of layer 0`, array: gloss.array(embedding.tokens)}],
              labels, state.own)),
        layers.map((layer, index) => layerPanels(layer, index, labels, state.own, columns, network.residual)),
        make("div", {class: "layer"}, make("h4", null, `After ${layers[layers.length - 1].part}`),
          panels([{
            title: `Output: ${upTo(layers.length - 1, network.residual)}`,
            array: gloss.array(layers[layers.length - 1].vectors.output)
          }],
            labels, state.own)),
        make("h3", null, "Norms"), norms(layers, labels), make("h3", null, "Similarity of positions"),
        similarity(layers, labels));
    }
    draw();
    return [
      gloss.explanation(
        `${layersText(network)} Rows are positions, columns the components of the vectors; blue is negative, orange ` +
          "positive.",
        [["Formula", layersFormula(network)], ["Shape", `[positions, d_model = ${model.config.d_model}]`]]),
      make("div", {class: "controls"},
        gloss.select("Stack", sides, state.side,
          (value) => {
            state.side = value;
            draw();
          }),
        gloss.checkbox("Each panel has its own scale", false,
          (value) => {
            state.own = value;
            draw();
          })),
      view,
      gloss.residual({item, model}),
    ];
  },
});
})((window.gloss = window.gloss || {}));
