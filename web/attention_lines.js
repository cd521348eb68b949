// Lines between the keys and the queries of one attention map; the thicker, the larger the weight.
(function(gloss) {
"use strict";

const STEP = 19;  // pixels between pieces
const WIDTH = 360;
const FAINTEST = 0.02;  // share of the largest weight below which a line is left out

// lines(array, labels, high) with the labels of queries and keys; a line of weight `high` is the thickest. point(i)
// shows the lines of query i alone; null, all.
gloss.attentionLines = (array, {rows, columns, rowName}, high) => {
  const height = Math.max(rows.length, columns.length) * STEP + 26;
  const left = WIDTH * 0.36;
  const right = WIDTH * 0.64;
  const y = (index) => 30 + index * STEP;
  const groups = rows.map((_, i) => {
    const lines = columns.map((__, j) => {
      const share = array.at(i, j) / high;
      return share >= FAINTEST && gloss.makeSvg("line", {
        x1: left,
        y1: y(j),
        x2: right,
        y2: y(i),
        "stroke-opacity": Math.min(1, share).toFixed(3),
        "stroke-width": (0.6 + 2.6 * Math.min(1, share)).toFixed(2),
      });
    });
    return gloss.makeSvg("g", null, lines);
  });
  const texts = (labels, x, anchor) =>
    labels.map((text, index) => gloss.makeSvg("text",
                 {x, y: y(index), "text-anchor": anchor, "dominant-baseline": "middle"}, gloss.clipped(text, 16)));
  const queries = texts(rows, right + 6, "start");
  const drawing = gloss.makeSvg("svg", {
    class: "lines",
    viewBox: `0 0 ${WIDTH} ${height}`,
    width: WIDTH,
    height,
    role: "img",
    "aria-label": "Lines between keys, left, and queries, right",
  },
    gloss.makeSvg("text", {class: "axis", x: left - 6, y: 10, "text-anchor": "end"}, "Key"),
    gloss.makeSvg("text", {class: "axis", x: right + 6, y: 10}, rowName), groups, texts(columns, left - 6, "end"),
    queries);
  drawing.point = (row) => {
    groups.forEach((group, i) => group.classList.toggle("faint", row !== null && i !== row));
    queries.forEach((text, i) => text.classList.toggle("strong", i === row));
  };
  queries.forEach((text, i) => {
    text.addEventListener("pointerenter", () => drawing.point(i));
    text.addEventListener("pointerleave", () => drawing.point(null));
  });
  return drawing;
};
})((window.gloss = window.gloss || {}));
