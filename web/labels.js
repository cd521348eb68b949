// Labels of the positions of a sentence.
(function(gloss) {
"use strict";

// The name of a piece. An unknown one is "<unk> (text)" with the text that it stands for; begin and end count bytes.
const pieceName = (text, {piece, begin, end}) => {
  if (piece !== "<unk>" || !(end > begin)) return piece;
  return `${piece} (${new TextDecoder().decode(new TextEncoder().encode(text).subarray(begin, end))})`;
};

// source: pieces of the source. input: pieces that the decoder reads, <s> first. predicted: pieces that its rows
// predict.
gloss.labels = (item) => {
  const source = item.source.pieces.map((piece) => pieceName(item.text, piece));
  const predicted = item.target.pieces.map(({piece}) => piece);
  return {
    source,
    predicted,
    input: ["<s>", ...predicted].slice(0, predicted.length),
    words: item.source.words.map(({text}) => text)
  };
};

// The labels of the rows and columns of an attention map, and the name of its rows. Rows of self-attention have the
// names of the pieces that they read, those of cross-attention the names of the pieces that they predict.
gloss.axisLabels = (item, map) => {
  const {source, input, predicted} = gloss.labels(item);
  if (map.kind === "cross") return {rows: predicted, columns: source, rowName: "Query → predicts"};
  const own = map.side === "encoder" ? source : input;
  return {rows: own, columns: own, rowName: "Query"};
};

// The query of row i of an attention map, for hover texts.
gloss.queryName = (item, map, i) => {
  const {source, input, predicted} = gloss.labels(item);
  return map.side === "encoder" ? `query ${gloss.position(i, source[i])}`
                                : `query ${gloss.position(i, input[i])}, which predicts “${predicted[i]}”`;
};

// Leaves out the middle of a long text.
gloss.shorten = (text, length = 44) => {
  const characters = [...text];
  if (characters.length <= length) return text;
  const half = Math.floor((length - 1) / 2);
  return `${characters.slice(0, half).join("")}…${characters.slice(-half).join("")}`;
};

// Chinese, Japanese and Korean characters, which are twice as wide as others.
gloss.IDEOGRAPHS = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]/;

// Cuts the end of a text that is wider than `width` letters.
gloss.clipped = (text, width) => {
  let left = width;
  const characters = [...text];
  const fits = characters.findIndex((character) => (left -= gloss.IDEOGRAPHS.test(character) ? 2 : 1) < 0);
  return fits < 0 ? text : `${characters.slice(0, fits - 1).join("")}…`;
};

// The last folders of paths, as many as tell different paths apart.
gloss.lastFolders = (paths) => {
  const parts = paths.map((path) => path.split("/").filter(Boolean));
  const different = new Set(paths).size;
  for (let count = 1;; ++count) {
    const names = parts.map((each) => each.slice(-count).join("/"));
    if (new Set(names).size >= different || parts.every(({length}) => length <= count)) return names;
  }
};

// Returns the name of an item among those with the same sentence: its model, its removed parts, its given translation.
gloss.passName = (document, item) => {
  const removed = item.without && item.without.length > 0;
  const notes = [
    document.models.length > 1 && gloss.lastFolders(document.models.map(({name}) => name))[item.model],
    removed && `without ${item.without.join(", ")}`,
    !removed && document.models.length < 2 && document.items.some(({without}) => without && without.length > 0) &&
      "whole model",
    item.forced && `forced: ${gloss.shorten(item.target.text)}`,
  ].filter(Boolean);
  return notes.join("; ");
};

// The name of an item in a list: its number, what tells it from others with the same sentence, and its sentence.
gloss.itemName = (document, index) => {
  const item = document.items[index];
  const pass = gloss.passName(document, item);
  return `${index + 1} ${pass && `${pass}: `}${gloss.shorten(item.text) || "(empty)"}`;
};

// The source words that the pass hides: "source.1" among the parts that it goes without.
gloss.hiddenWords = (item) =>
  (item.without || []).filter((part) => part.startsWith("source.")).map((part) => Number(part.slice("source.".length)));

// "3 Satz", as a reader counts: from 0, as the positions of the paper.
gloss.position = (index, piece) => `${index} “${piece}”`;

// The log-probability of the target's piece t among the candidates of step t.
gloss.chosenIndex = (item, t) => item.candidates.ids[t].indexOf(item.target.pieces[t].id);

// "encoder.2.self.3" -> "encoder, layer 2, self-attention, head 3"
gloss.partName = (part) => {
  if (part === "positions") return "positional encodings";
  if (part === "tokens") return "embeddings of the pieces";
  if (part.startsWith("source.")) return `source word ${part.slice("source.".length)}`;
  const [side, layer, kind, head] = part.split(".");
  const kinds =
    {self: "self-attention", recurrence: "recurrence", cross: "cross-attention", feed_forward: "feed-forward"};
  return [
    side, layer !== undefined && `layer ${layer}`, kind && (kinds[kind] || kind), head !== undefined && `head ${head}`
  ].filter(Boolean)
    .join(", ");
};
})((window.gloss = window.gloss || {}));
