// Labels of the positions of a sentence.
(function(gloss) {
"use strict";

// source: pieces of the source. input: pieces that the decoder reads, <s> first. predicted: pieces that its rows
// predict.
gloss.labels = (item) => {
  const source = item.source.pieces.map(({piece}) => piece);
  const predicted = item.target.pieces.map(({piece}) => piece);
  return {
    source,
    predicted,
    input: ["<s>", ...predicted].slice(0, predicted.length),
    words: item.source.words.map(({text}) => text)
  };
};

// The labels of the rows and columns of an attention map.
gloss.axisLabels = (item, map) => {
  const {source, input, predicted} = gloss.labels(item);
  if (map.kind === "cross") return {rows: predicted, columns: source};
  return map.side === "encoder" ? {rows: source, columns: source} : {rows: input, columns: input};
};

// The name of an item in a list: its sentence, and what tells it from others with the same sentence.
gloss.itemName = (document, item) => {
  const notes = [
    document.models.length > 1 && document.models[item.model].name,
    item.without && item.without.length > 0 && `without ${item.without.join(", ")}`,
    item.forced && `forced: ${item.target.text}`,
  ].filter(Boolean);
  return (item.text || "(empty)") + (notes.length > 0 ? ` [${notes.join("; ")}]` : "");
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
  const kinds = {self: "self-attention", cross: "cross-attention", feed_forward: "feed-forward"};
  return [
    side, layer !== undefined && `layer ${layer}`, kind && (kinds[kind] || kind), head !== undefined && `head ${head}`
  ].filter(Boolean)
    .join(", ");
};
})((window.gloss = window.gloss || {}));
