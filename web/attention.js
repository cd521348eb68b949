// Section 1: all attention maps at a glance, and each of them large.
(function(gloss) {
"use strict";

const {make} = gloss;
const QUANTITIES = [
  {value: "weights", text: "attention weight"},
  {value: "norms", text: "weight × norm of the value"},
  {value: "occlusion", text: "occlusion of a source word"},
];
const GROUPS = [
  {side: "encoder", kind: "self", title: "Encoder self-attention"},
  {side: "decoder", kind: "self", title: "Decoder self-attention"},
  {side: "decoder", kind: "cross", title: "Cross-attention"},
];

// The matrix of a head; "mean" averages over the heads of a layer, layer "mean" over the layers too.
function matrix(maps, layer, head, quantity) {
  const heads = (map) => {
    const array = gloss.array(map[quantity]);
    return head === "mean" ? Array.from({length: array.shape[0]}, (_, h) => array.slice(h)) : [array.slice(head)];
  };
  const chosen = layer === "mean" ? maps.flatMap(heads) : heads(maps.find((map) => map.layer === layer));
  return chosen.length === 1 ? chosen[0] : gloss.meanOf(chosen);
}

// [T, W]: log p of the chosen piece, minus the same with a source word hidden.
gloss.occlusion = (item) => {
  const hidden = gloss.array(item.interventions.words.log_probabilities);
  const base = gloss.array(item.candidates.log_probabilities);
  return gloss.computed([item.target.pieces.length, item.source.words.length], (t, w) => {
    const k = gloss.chosenIndex(item, t);
    return base.at(t, k) - hidden.at(w, t, k);
  });
};

// The number that has the darkest color in all maps: 1 for weights.
const commonHigh = (item, quantity) =>
  quantity === "norms" ? Math.max(1e-9, ...item.maps.map((map) => gloss.extent(gloss.array(map.norms))[1])) : 1;

function overview(group, maps, quantity, high, open) {
  const count = gloss.array(maps[0].weights).shape[0];
  const heads = [...Array(count).keys(), ...(count > 1 ? ["mean"] : [])];
  const layers = [...maps.map((map) => map.layer), ...(maps.length > 1 ? ["mean"] : [])];
  const buttons = [];
  const cells =
    layers.flatMap((layer) => [make("span", {class: "row-name"}, layer === "mean" ? "mean" : `layer ${layer}`),
                     heads.map((head) => {
                       const entropy = layer !== "mean" && head !== "mean" &&
                         gloss.array(maps.find((map) => map.layer === layer).entropy).at(head);
                       const name = gloss.partName(`${group.side}.${layer}.${group.kind}.${head}`);
                       const button = make("button", {
                         type: "button",
                         class: "head",
                         "aria-label": name,
                         title: entropy === false ? name : `${name}; entropy ${gloss.format(entropy)} nats`,
                         onclick: () => open(group, layer, head, button),
                       },
                         gloss.thumbnail(() => matrix(maps, layer, head, quantity), {high}),
                         entropy !== false && make("span", {class: "entropy"}, `H ${entropy.toFixed(2)}`));
                       button.dataset.key = `${group.side}.${layer}.${group.kind}.${head}`;
                       buttons.push(button);
                       return button;
                     }),
  ]);
  const grid = make("div", {class: "heads", style: `--heads: ${heads.length}`}, make("span"),
    heads.map((head) => make("span", {class: "head-name"}, head === "mean" ? "mean" : head)), cells);
  gloss.arrowKeys(grid, buttons, heads.length);
  return make("div", {class: "group"}, make("h4", null, group.title), make("div", {class: "scroll"}, grid));
}

function describe(item, map, array, labels, quantity) {
  const {predicted, words} = gloss.labels(item);
  return (i, j) => {
    const value = array.at(i, j);
    if (quantity === "occlusion") {
      return `hiding ${gloss.position(j, words[j])} changes log p of ${gloss.position(i, predicted[i])} by ${
        gloss.signed(-value)}`;
    }
    return `${gloss.queryName(item, map, i)} → key ${gloss.position(j, labels.columns[j])}: ${
      gloss.format(value, array.scale)}`;
  };
}

function large(item, state) {
  const maps = item.maps.filter((map) => map.side === state.side && map.kind === state.kind);
  const occlusion = state.quantity === "occlusion" && state.kind === "cross" && item.interventions;
  const quantity = occlusion ? "occlusion" : state.quantity === "occlusion" ? "weights" : state.quantity;
  const array = occlusion ? gloss.occlusion(item) : matrix(maps, state.layer, state.head, quantity);
  const axes = gloss.axisLabels(item, maps[0]);
  const labels = occlusion ? {...axes, columns: gloss.labels(item).words} : axes;
  const high = state.own ? Math.max(1e-9, gloss.extent(array)[1]) : commonHigh(item, quantity);
  const lines =
    !occlusion && labels.rows.length + labels.columns.length <= 240 ? gloss.attentionLines(array, labels, high) : null;
  const part = `${state.side}.${state.layer}.${state.kind}.${state.head}`;
  const map = gloss.heatMap({
    array,
    name: gloss.partName(part),
    rowLabels: labels.rows,
    columnLabels: labels.columns,
    rowName: occlusion ? "Predicted" : axes.rowName,
    columnName: occlusion ? "Hidden word" : "Key",
    ...(occlusion ? {diverging: true} : {low: 0, high}),
    describe: describe(item, maps[0], array, labels, quantity),
    point: (i) => lines && lines.point(i),
  });
  const caption = occlusion
    ? "Log-probability of each piece of the translation, minus the same with a source word " +
      "hidden from encoder and decoder."
    : `${part.replaceAll("mean", "(mean)")}: ${QUANTITIES.find(({value}) => value === quantity).text}; ` +
      `rows are queries, columns keys. ${
        state.kind === "cross" ? "A row has the name of the piece that its query predicts. "
                               : ""}Mean entropy ${gloss.format(entropyOf(maps, state))} nats of at most ` +
      `${gloss.format(Math.log(array.shape[1]))}.`;
  const figure = gloss.figure(caption, map);
  figure.style.flexBasis = `${Math.max(400, labels.columns.length * 42 + 130)}px`;
  return make("div", {class: labels.columns.length > 36 ? null : "along"}, figure,
    lines &&
      gloss.figure("Each line joins a query with a key. Point at a query to see its lines alone.",
        make("div", {class: "scroll tall"}, lines)));
}

function entropyOf(maps, state) {
  if (state.layer !== "mean" && state.head !== "mean") {
    return gloss.array(maps.find((map) => map.layer === state.layer).entropy).at(state.head);
  }
  // The mean of the heads' entropies; the entropy of their mean map is larger.
  const entropies = maps.filter((map) => state.layer === "mean" || map.layer === state.layer).flatMap((map) => {
    const array = gloss.array(map.entropy);
    return state.head === "mean" ? Array.from({length: array.shape[0]}, (_, head) => array.at(head))
                                 : [array.at(state.head)];
  });
  return entropies.reduce((sum, entropy) => sum + entropy, 0) / entropies.length;
}

gloss.sections = gloss.sections || [];
gloss.sections.push({
  id: "attention",
  title: "Attention",
  render({item, model}) {
    const network = gloss.network(model);
    if (!network.attends) {
      return gloss.absent(
        "This network has no attention: its decoder reads the source as one vector, the last states " +
        "of the encoder.");
    }
    if (!item.maps || item.maps.length === 0) return gloss.absent("The document holds no attention maps.");
    const groups = GROUPS
                     .map((group) => ({
                       ...group,
                       maps: item.maps.filter((map) => map.side === group.side && map.kind === group.kind),
                     }))
                     .filter(({maps}) => maps.length > 0 && gloss.array(maps[0].weights).size > 0);
    if (groups.length === 0) return gloss.absent("The attention maps are empty.");
    const first = groups[groups.length - 1];
    const state = {
      side: first.side,
      kind: first.kind,
      layer: first.maps[first.maps.length - 1].layer,
      head: 0,
      quantity: "weights",
      own: false
    };
    const view = make("div", {class: "large"});
    const grids = make("div", {class: "groups"});
    const scaleNote = make("p", {class: "note"});

    const group = () => groups.find(({side, kind}) => side === state.side && kind === state.kind);
    const controls = make("div", {class: "controls"});
    function draw() {
      const heads = gloss.array(group().maps[0].weights).shape[0];
      const change = (key) => (value) => {
        state[key] = value === "mean" ? value : Number(value);
        draw();
      };
      gloss.replace(controls,
        gloss.select("Attention", groups.map(({side, kind, title}) => ({value: `${side}.${kind}`, text: title})),
          `${state.side}.${state.kind}`,
          (value) => {
            [state.side, state.kind] = value.split(".");
            if (!group().maps.some(({layer}) => layer === state.layer)) state.layer = group().maps[0].layer;
            draw();
          }),
        gloss.select("Layer", [...group().maps.map(({layer}) => layer), "mean"], state.layer, change("layer")),
        gloss.select("Head", [...Array(heads).keys(), "mean"], state.head, change("head")),
        gloss.select("Shown", QUANTITIES.filter(({value}) => value !== "occlusion" || item.interventions),
          state.quantity, (value) => {
            state.quantity = value;
            if (value === "occlusion" && groups.some(({kind}) => kind === "cross")) {
              const cross = groups.find(({kind}) => kind === "cross");
              [state.side, state.kind] = [cross.side, cross.kind];
            }
            drawGrids();
            draw();
          }),
        state.quantity === "occlusion" && state.kind === "cross"
          ? null
          : gloss.select("Scale",
              [
                {value: "common", text: state.quantity === "norms" ? "0 to the largest of all maps" : "0 to 1"},
                {value: "own", text: "0 to its own maximum"}
              ],
              state.own ? "own" : "common", (value) => {
                state.own = value === "own";
                draw();
              }));
      gloss.replace(view, large(item, state));
      mark();
    }
    function mark() {
      const key = `${state.side}.${state.layer}.${state.kind}.${state.head}`;
      grids.querySelectorAll("button.head")
        .forEach((button) => button.setAttribute("aria-pressed", button.dataset.key === key));
    }
    function drawGrids() {
      const quantity = state.quantity === "norms" ? "norms" : "weights";
      const high = commonHigh(item, quantity);
      const open = ({side, kind}, layer, head) => {
        Object.assign(state, {side, kind, layer, head});
        draw();
      };
      gloss.replace(grids, groups.map((each) => overview(each, each.maps, quantity, high, open)));
      scaleNote.textContent = `All small maps have one scale, 0 to ${quantity === "norms" ? gloss.format(high) : 1}.`;
    }
    drawGrids();
    draw();
    const width = model.config.d_model / model.config.heads;
    return [
      gloss.explanation(`${
          network.recurrent ? "Before each piece the state of the decoder sends a query" : "Each position sends a query"}. ` +
          `The weights ${
            !network.recurrent && network.attention_score === "location"
              ? "depend on the query and on the places of the visible positions, not on what stands there, "
              : "compare it with the keys of all visible positions, "}` +
          "and the head returns the mean of their values. A weight alone does not measure importance: a heavy weight " +
          "on a short value adds little, which the weight times the norm of the value shows. Occlusion measures the " +
          "effect: it hides a source word and reads how the log-probability of each piece changes.",
        [
          [
            "Formula",
            `Attention(Q, K, V) = softmax(${network.scores}) V` +
              (network.addsPositions || network.positions !== "rotary" || network.recurrent
                  ? ""
                  : "; self-attention rotates Q and K by their positions")
          ],
          [
            "Shape",
            `weights [heads, queries, keys]; d_k = d_model / heads = ${model.config.d_model} / ${
              model.config.heads} = ${width}`
          ],
          [
            "Entropy",
            "H = −Σ p ln p of a row, mean over rows, in nats: 0 is one position alone, " +
              "ln(keys) all alike"
          ],
        ]),
      grids,
      scaleNote,
      make("h3", null, "One map"),
      controls,
      view,
      item.interventions ? null : gloss.absent("Occlusion was not computed for this sentence (--quick)."),
    ];
  },
});
})((window.gloss = window.gloss || {}));
