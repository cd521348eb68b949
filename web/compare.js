// Section 7: the same word in two sentences, or in two passes over one sentence.
(function(gloss) {
"use strict";

const {make} = gloss;

// The mean over the pieces of a word of a head's row.
function wordRow(item, map, word) {
  const {first, last} = item.source.words[word];
  const weights = gloss.array(map.weights);
  const [heads, , columns] = weights.shape;
  return gloss.computed([heads, columns], (head, column) => {
    let sum = 0;
    for (let row = first; row < last; ++row) sum += weights.at(head, row, column);
    return sum / (last - first);
  });
}

function wordVector(item, layer, word) {
  const vectors = gloss.array(layer.vectors.output);
  const {first, last} = item.source.words[word];
  return Array.from({length: vectors.shape[1]}, (_, c) => {
    let sum = 0;
    for (let row = first; row < last; ++row) sum += vectors.at(row, c);
    return sum / (last - first);
  });
}

gloss.cosine = (a, b) => {
  let [dot, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; ++i) {
    dot += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return dot / (Math.sqrt(aa * bb) || 1);
};

const encoderLayers = (item) => (item.stack || []).filter(({part}) => part.startsWith("encoder"));

function cosines(sides) {
  const layers = sides.map(({item}) => encoderLayers(item));
  const count = Math.min(...layers.map((list) => list.length));
  if (count === 0) return gloss.absent("The document holds no vectors to compare.");
  const vectors = layers.map((list, s) => list.map((layer) => wordVector(sides[s].item, layer, sides[s].word)));
  if (vectors[0][0].length !== vectors[1][0].length)
    return gloss.absent("The two models have vectors of different width.");
  const values = Array.from({length: count}, (_, l) => gloss.cosine(vectors[0][l], vectors[1][l]));
  const binned = Math.round(sides[0].model.config.d_model / vectors[0][0].length);
  return gloss.figure("Cosine of the word's vectors after each layer of the encoder: 1 is the same direction." +
      (binned > 1 ? ` Computed from means of ${binned} neighboring columns.` : ""),
    gloss.bars(values.map((value, l) => ({name: layers[0][l].part, value})),
      {label: "Cosine by layer", high: 1, show: gloss.format}));
}

// A word that is in both sentences, if there is one: the last, since it has seen the most that differs.
function commonWord(a, b) {
  for (let w = a.source.words.length - 1; w >= 0; --w) {
    const other = b.source.words.findIndex(({text}) => text === a.source.words[w].text);
    if (other >= 0 && /[\p{L}\p{N}]/u.test(a.source.words[w].text)) return [w, other];
  }
  return [0, 0];
}

gloss.sections.push({
  id: "compare",
  title: "Two sentences",
  whole: true,  // shows all items, whichever is selected
  render({document: all}) {
    const usable =
      all.items.map((item, index) => ({item, index, model: all.models[item.model]}))
        .filter(({item}) => item.source.words.length > 0 && (item.maps || []).some(({side}) => side === "encoder"));
    if (usable.length < 2)
      return gloss.absent("The page holds one sentence. Give two sentences, two models, or --without to compare.");
    const other = usable.find(({item}) => item.text !== usable[0].item.text) || usable[1];
    const [first, second] = commonWord(usable[0].item, other.item);
    const sides = [{...usable[0], word: first}, {...other, word: second}];
    const layers = [...new Set(
      usable.flatMap(({item}) => item.maps.filter(({side}) => side === "encoder").map(({layer}) => layer)))];
    const state = {layer: layers[0]};
    const sentences = usable.map(({item}, value) => ({value, text: gloss.itemName(all, item)}));
    const wordsOf = (item) => item.source.words.map(({text}, value) => ({value, text: `${value} ${text}`}));
    const view = make("div");
    const controls = make("div");
    function sideControls(side, s) {
      const setItem = (value) => {
        const next = usable[value];
        sides[s] = {...next, word: Math.min(side.word, next.item.source.words.length - 1)};
        draw();
      };
      const setWord = (value) => {
        sides[s].word = Number(value);
        draw();
      };
      const now = usable.findIndex(({index}) => index === side.index);
      return make("div", {class: "controls"}, gloss.select(`Sentence ${"AB"[s]}`, sentences, now, setItem),
        gloss.select("Word", wordsOf(side.item), side.word, setWord));
    }
    function draw() {
      const setLayer = (value) => {
        state.layer = Number(value);
        draw();
      };
      gloss.replace(controls, sides.map(sideControls),
        make("div", {class: "controls"}, gloss.select("Layer", layers, state.layer, setLayer)));
      gloss.replace(view, make("div", {class: "beside"}, sides.map(({item, word}, s) => {
        const map = item.maps.find(({side, layer}) => side === "encoder" && layer === state.layer);
        if (!map) return gloss.absent(`The model of sentence ${"AB"[s]} has no layer ${state.layer}.`);
        const array = wordRow(item, map, word);
        const labels = gloss.labels(item).source;
        const text = item.source.words[word].text;
        return gloss.figure(`${"AB"[s]}: attention of “${text}” in ${map.part}, a row a head.`, gloss.heatMap({
          array,
          name: `Attention of ${text}`,
          rowLabels: Array.from({length: array.shape[0]}, (_, h) => `head ${h}`),
          columnLabels: labels,
          rowName: "Head",
          columnName: "Key",
          low: 0,
          high: 1,
          maxCell: 34,
          cellHeight: 18,
          describe: (h, j) => `head ${h}: “${text}” → ${gloss.position(j, labels[j])}: ${gloss.format(array.at(h, j))}`,
        }));
      })),
        cosines(sides));
    }
    draw();
    return [
      gloss.explanation("The vector of a word depends on its sentence. Choose a word in each sentence: the same word " +
          "attends to other words, and its vectors part from layer to layer. A sentence in another order, or without " +
          "positions, is compared in the same way.",
        [
          ["Formula", "cos(a, b) = a·b / (|a| |b|)"],
          ["Shape", "attention rows [heads, keys]; vectors are means over the pieces of a word"]
        ]),
      controls, view
    ];
  },
});
})((window.gloss = window.gloss || {}));
