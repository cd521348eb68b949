// Horizontal bars with names and numbers.
(function(gloss) {
"use strict";

// rows: [{name, value, note, strong}]. Bars of both signs start at a common zero: blue to the left, orange to the
// right. options: {label, high: value of a full bar, show: text of a value, unsigned, more: rows before "show all"}
gloss.bars = (rows, {label, high, show = gloss.signed, unsigned, more = Infinity}) => {
  const bound = high || Math.max(1e-12, ...rows.map(({value}) => Math.abs(value)));
  const row = ({name, value, note, strong}) => {
    const share = Math.min(1, Math.abs(value) / bound) * (unsigned ? 100 : 50);
    const from = unsigned ? 0 : value < 0 ? 50 - share : 50;
    return gloss.make("tr", {class: strong ? "strong" : null}, gloss.make("th", {scope: "row"}, name),
      gloss.make("td", {class: "bar-cell"}, gloss.make("div", {
        class: unsigned ? "bar"
          : value < 0   ? "bar negative"
                        : "bar positive",
        style: `left:${from.toFixed(2)}%;width:${share.toFixed(2)}%`,
      }),
        unsigned ? null : gloss.make("div", {class: "zero"})),
      gloss.make("td", {class: "number"}, show(value)), note === undefined ? null : gloss.make("td", null, note));
  };
  const body = gloss.make("tbody", null, rows.slice(0, more).map(row));
  const all = rows.length > more && gloss.button(`Show all ${rows.length}`, () => {
    body.append(...rows.slice(more).map(row));
    all.remove();
  });
  return gloss.make("div", {class: rows.some(({note}) => note !== undefined) ? "bars notes" : "bars"},
    gloss.make("table", {"aria-label": label}, body), all);
};
})((window.gloss = window.gloss || {}));
