// Section 7: the same word in two sentences, or in two passes over one sentence.
(function(gloss) {
"use strict";

const {make} = gloss;
const KINDS = [
  {side: "encoder", kind: "self", text: "Encoder self-attention"},
  {side: "decoder", kind: "self", text: "Decoder self-attention"},
  {side: "decoder", kind: "cross", text: "Cross-attention"},
];

// Words of the translation as runs of its pieces: a piece that starts with ▁, or </s>, starts a word. Without any ▁
// after the first piece, each piece is a word.
function targetWords(item) {
  const pieces = item.target.pieces.map(({piece}) => piece);
  const marked = pieces.some((piece, i) => i > 0 && piece.startsWith("▁"));
  const words = [];
  pieces.forEach((piece, i) => {
    if (i === 0 || !marked || piece.startsWith("▁") || piece === "</s>") words.push({text: "", first: i, last: i});
    const word = words[words.length - 1];
    word.text += piece.replace("▁", "");
    word.last = i + 1;
  });
  return words.map((word) => ({...word, text: word.text || "▁"}));
}

// The words that name the rows of a kind of attention: [{text, first, last}] with half-open rows. Rows of decoder
// self-attention read a word, those of cross-attention predict it.
function rowWords(item, {side, kind}) {
  if (side === "encoder") return item.source.words;
  const words = targetWords(item);
  if (kind === "cross") return words;
  const rows = item.target.pieces.length;
  return [
    {text: "<s>", first: 0, last: 1},
    ...words.map(({text, first, last}) => ({text, first: first + 1, last: Math.min(rows, last + 1)}))
  ].filter(({first, last}) => first < last);
}

const mapOf = (item, {side, kind, layer}) =>
  (item.maps || []).find((map) => map.side === side && map.kind === kind && map.layer === layer);

// The mean over the pieces of a word of each head's row.
function wordRow(map, {first, last}) {
  const weights = gloss.array(map.weights);
  const [heads, , columns] = weights.shape;
  return gloss.computed([heads, columns], (head, column) => {
    let sum = 0;
    for (let row = first; row < last; ++row) sum += weights.at(head, row, column);
    return sum / (last - first);
  }, weights.scale);
}

function wordVector(layer, {first, last}) {
  const vectors = gloss.array(layer.vectors.output);
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

const layersOf = (item, side) => (item.stack || []).filter(({part}) => part.startsWith(side));

function cosines(sides, words, {side}) {
  if (sides[0].item.model !== sides[1].item.model) {
    return gloss.absent("The vectors of two models have different bases, so that a cosine between them means nothing.");
  }
  const layers = sides.map(({item}) => layersOf(item, side));
  if (layers.some((list) => list.length === 0)) return gloss.absent("The document holds no vectors to compare.");
  const vectors = layers.map((list, s) => list.map((layer) => wordVector(layer, words[s])));
  const values = vectors[0].map((vector, l) => gloss.cosine(vector, vectors[1][l]));
  const binned = Math.round(sides[0].model.config.d_model / vectors[0][0].length);
  return gloss.figure(`Cosine of the word's vectors after each layer of the ${side}: 1 is the same direction.` +
      (binned > 1 ? ` Computed from means of ${binned} neighboring columns.` : ""),
    gloss.bars(values.map((value, l) => ({name: layers[0][l].part, value})),
      {label: "Cosine by layer", high: 1, show: gloss.format}));
}

// The words that two items share, as pairs of indices: the n-th "the" of one with the n-th of the other.
function commonWords(a, b) {
  const places = (words) => {
    const seen = new Map();
    return words.map(({text}) => {
      seen.set(text, (seen.get(text) || 0) + 1);
      return `${seen.get(text)} ${text}`;
    });
  };
  const others = places(b);
  return places(a).map((place, w) => [w, others.indexOf(place)]).filter(([w,
    other]) => other >= 0 && /[\p{L}\p{N}]/u.test(a[w].text) && !/^<.*>$/.test(a[w].text));
}

// The shared word whose vectors differ most after the last layer if the model is the same, else the first one.
function defaultWords(sides, words, {side}) {
  const pairs = commonWords(...words);
  if (pairs.length === 0) return [0, 0];
  const last = sides.map(({item}) => layersOf(item, side).pop());
  if (sides[0].item.model !== sides[1].item.model || last.some((layer) => !layer)) return pairs[0];
  const cosine = (pair) => gloss.cosine(...pair.map((word, s) => wordVector(last[s], words[s][word])));
  return pairs.reduce((best, pair) => cosine(pair) < cosine(best) - 1e-9 ? pair : best);
}

// The translations of both sides; words of B that A lacks are marked.
const translations = (sides, names) => sides.map(({item}, s) => {
  const {text, log_probability: logp} = item.target;
  const loss = item.interventions && item.interventions.loss;
  return make("p", {class: "translation"}, make("strong", null, `${"AB"[s]}: ${names[s]}`), make("br"), "Translation: ",
    s === 0 || text === sides[0].item.target.text ? make("q", null, text)
                                                  : gloss.changedWords(text, sides[0].item.target.text),
    ` log p = ${gloss.format(logp)}`, Number.isFinite(loss) ? `, loss ${gloss.format(loss)}` : "");
});

// The labels of both sides, position by position: "bedroom | garden" where they differ.
const bothTexts = (a, b) => a.map((text, i) => (text === b[i] ? text : `${text} | ${b[i]}`));

// B - A of the word's rows, and of the whole maps if there are as many rows, position by position.
function differences(sides, maps, rows, words, axes) {
  const [a, b] = rows;
  if (axes[0].columns.length !== axes[1].columns.length || a.shape[0] !== b.shape[0]) {
    return gloss.absent("The numbers of pieces or of heads differ, so that there is no map of differences.");
  }
  const scale = ((a.scale || 0) + (b.scale || 0)) || undefined;
  const {rowName} = axes[0];
  const columns = bothTexts(axes[0].columns, axes[1].columns);
  // Equal weights have the color of 0; a difference of one step of 8 bits is pale.
  const bounds = (array) => {
    const high = Math.max(0.05, ...gloss.extent(array).map(Math.abs));
    return {low: -high, high};
  };
  const equal = (array) => gloss.extent(array).every((value) => Math.abs(value) <= (scale || 1e-6) / 2)
    ? ` The weights are the same${scale ? " as far as 8 bits show" : ""}.`
    : "";
  const common = {columnLabels: columns, columnName: "Key", diverging: true, maxCell: 34};
  const shown = gloss.computed(a.shape, (h, j) => b.at(h, j) - a.at(h, j), scale);
  const [first, second] = words.map(({text}) => `“${text}”`);
  const row =
    gloss.figure(`B − A: attention of ${first}${first === second ? "" : ` in A, of ${second} in B`}, a row a head. ` +
        `Orange: more in B; blue: more in A.${equal(shown)}`,
      gloss.heatMap({
        ...common,
        ...bounds(shown),
        array: shown,
        name: "Difference by head",
        rowLabels: Array.from({length: a.shape[0]}, (_, h) => `head ${h}`),
        rowName: "Head",
        cellHeight: 18,
        describe: (h, j) =>
          `head ${h}: → ${gloss.position(j, columns[j])}: B − A = ${gloss.signed(shown.at(h, j), scale)}`,
      }));
  if (axes[0].rows.length !== axes[1].rows.length) return row;
  const [meanA, meanB] = maps.map(({weights}) => {
    const array = gloss.array(weights);
    return gloss.meanOf(Array.from({length: array.shape[0]}, (_, h) => array.slice(h)));
  });
  const whole = gloss.computed(meanA.shape, (i, j) => meanB.at(i, j) - meanA.at(i, j), scale);
  return [
    row, gloss.figure(`B − A: mean of the heads of ${maps[0].part}, all queries.${equal(whole)}`, gloss.heatMap({
      ...common,
      ...bounds(whole),
      array: whole,
      name: "Difference of the mean",
      rowLabels: bothTexts(axes[0].rows, axes[1].rows),
      rowName,
      describe: (i, j) => `${gloss.queryName(sides[0].item, maps[0], i)} → key ${gloss.position(j, columns[j])}: ` +
        `B − A = ${gloss.signed(whole.at(i, j), scale)}`,
    }))
  ];
}

function wordMap(side, s, map, word, labels) {
  const array = wordRow(map, word);
  const reads = map.kind === "cross" ? `the query that predicts “${word.text}”` : `“${word.text}”`;
  return gloss.figure(`${"AB"[s]} (${side.name}): attention of ${reads} in ${map.part}, a row a head.`, gloss.heatMap({
    array,
    name: `Attention of ${word.text}`,
    rowLabels: Array.from({length: array.shape[0]}, (_, h) => `head ${h}`),
    columnLabels: labels,
    rowName: "Head",
    columnName: "Key",
    low: 0,
    high: 1,
    maxCell: 34,
    cellHeight: 18,
    describe: (h, j) =>
      `head ${h}: “${word.text}” → ${gloss.position(j, labels[j])}: ${gloss.format(array.at(h, j), array.scale)}`,
  }));
}

// The item that the first one is compared with at first: another sentence with a common word, else another pass.
function otherOf([first, ...rest]) {
  const shares = ({item}) => commonWords(first.item.source.words, item.source.words).length > 0;
  return rest.find((side) => side.item.text !== first.item.text && shares(side)) ||
    rest.find(({item}) => item.text === first.item.text) || rest[0];
}

// The kind of attention that is shown at first: that of a removed part of the decoder, if there is one.
function firstKind(sides, kinds) {
  const removed = sides.flatMap(({item}) => item.without || []).find((part) => part.startsWith("decoder."));
  if (!removed) return kinds[0];
  const kind = removed.split(".")[2] === "self" ? "self" : "cross";
  return kinds.find((each) => each.side === "decoder" && each.kind === kind) || kinds[0];
}

gloss.sections.push({
  id: "compare",
  title: "Two sentences",
  whole: true,  // shows all items, whichever is selected
  render({document: all}) {
    const usable =
      all.items.map((item, index) => ({item, index, model: all.models[item.model], name: gloss.itemName(all, index)}))
        .filter(({item}) => item.source.words.length > 0 && (item.maps || []).length > 0);
    if (all.items.length > 1 && usable.length < 2 && !all.models.every((model) => gloss.network(model).attends))
      return gloss.absent("A network without attention has no weights to compare.");
    if (usable.length < 2)
      return gloss.absent("The page holds one sentence. Give two sentences, two models, or --without to compare.");
    const sides = [usable[0], otherOf(usable)];
    const layersOfKind = ({side: own, kind: other}) => [...new Set(usable.flatMap(
      ({item}) => item.maps.filter(({side, kind}) => side === own && kind === other).map(({layer}) => layer)))];
    const state = {layer: 0, words: [0, 0]};
    const has = (kind) => ({item}) =>
      rowWords(item, kind).length > 0 && item.maps.some((map) => map.side === kind.side && map.kind === kind.kind);
    const kinds = KINDS.filter((kind) => usable.every(has(kind)));
    const view = make("div");
    const controls = make("div");
    const wordsOf = ({item}) => rowWords(item, state);
    const choose = (next) => {
      Object.assign(state, next, {layer: layersOfKind(next).pop()});
      state.words = defaultWords(sides, sides.map(wordsOf), state);
      draw();
    };
    function sideControls(side, s) {
      const setItem = (value) => {
        const {text} = wordsOf(side)[state.words[s]];
        sides[s] = usable[value];
        const words = wordsOf(sides[s]);
        const same = words.findIndex((word) => word.text === text);
        const kept = Math.min(state.words[s], words.length - 1);
        state.words[s] = words[kept].text === text || same < 0 ? kept : same;
        draw();
      };
      const setWord = (value) => {
        state.words[s] = Number(value);
        draw();
      };
      return make("div", {class: "controls"},
        gloss.select(
          `Sentence ${"AB"[s]}`, usable.map(({name}, value) => ({value, text: name})), usable.indexOf(side), setItem),
        gloss.select(
          "Word", wordsOf(side).map(({text}, value) => ({value, text: `${value} ${text}`})), state.words[s], setWord));
    }
    function draw() {
      const layers = layersOfKind(state);
      gloss.replace(controls, sides.map(sideControls),
        make("div", {class: "controls"},
          gloss.select("Attention", kinds.map(({side, kind, text}) => ({value: `${side}.${kind}`, text})),
            `${state.side}.${state.kind}`,
            (value) => choose(kinds.find(({side, kind}) => `${side}.${kind}` === value))),
          gloss.select("Layer", layers, state.layer, (value) => {
            state.layer = Number(value);
            draw();
          })));
      const words = sides.map((side, s) => wordsOf(side)[state.words[s]]);
      const maps = sides.map(({item}) => mapOf(item, state));
      const axes = sides.map(({item}, s) => maps[s] && gloss.axisLabels(item, maps[s]));
      gloss.replace(view, make("div", {class: "beside"}, translations(sides, sides.map(({name}) => name))),
        make("div", {class: "beside"},
          sides.map((side, s) => maps[s]
              ? wordMap(side, s, maps[s], words[s], axes[s].columns)
              : gloss.absent(`The model of sentence ${"AB"[s]} has no layer ${state.layer}.`))),
        maps.every(Boolean) &&
          make("div", {class: "beside"},
            differences(sides, maps, maps.map((map, s) => wordRow(map, words[s])), words, axes)),
        cosines(sides, words, state));
    }
    choose(firstKind(sides, kinds));
    return [
      gloss.explanation("The vector of a word depends on its sentence. Choose a word in each sentence: the same word " +
          "attends to other words, and its vectors part from layer to layer. A sentence in another order, without " +
          "positions, or without a part of the model is compared in the same way. The decoder's self-attention has " +
          "the words that its queries read, the cross-attention those that its queries predict.",
        [
          ["Formula", "cos(a, b) = a·b / (|a| |b|)"],
          ["Shape", "attention rows [heads, keys]; vectors are means over the pieces of a word"]
        ]),
      controls, view
    ];
  },
});
})((window.gloss = window.gloss || {}));
