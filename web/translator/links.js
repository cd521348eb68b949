// Links between a word and the words that it translates: marks, and lines between the panes.
(function(gloss) {
"use strict";

const {make, makeSvg} = gloss;

const DIP = 26;  // pixels that a line between panes side by side goes down, so that it does not look like underlining

// Returns a curve from a word of the text to one of the translation, both as rectangles: an arc below both lines of
// text between panes that stand side by side, a curve downwards between those one above the other.
function curve(from, to, sideways) {
  const x1 = (from.left + from.right) / 2;
  const x2 = (to.left + to.right) / 2;
  if (sideways) {
    const reach = Math.min(120, (x2 - x1) / 3);
    const low = Math.max(from.bottom, to.bottom) + DIP;
    return `M${x1} ${from.bottom}C${x1 + reach} ${low} ${x2 - reach} ${low} ${x2} ${to.bottom}`;
  }
  const bend = Math.max(30, (to.top - from.bottom) / 2);
  return `M${x1} ${from.bottom}C${x1} ${from.bottom + bend} ${x2} ${to.top - bend} ${x2} ${to.top}`;
}

// The frame around both panes, with show(sources, targets) for words that belong together, and hide().
gloss.links = (...panes) => {
  const drawing = makeSvg("svg", {class: "links", "aria-hidden": "true"});
  const element = make("div", {class: "panes"}, panes, drawing);
  let marked = [];
  const hide = () => {
    for (const word of marked) word.classList.remove("marked");
    marked = [];
    gloss.replace(drawing);
  };
  const show = (sources, targets) => {
    hide();
    if (![...sources, ...targets].every((word) => word.isConnected)) return;  // the text has changed since
    marked = [...sources, ...targets];
    for (const word of marked) word.classList.add("marked");
    const origin = element.getBoundingClientRect();
    const [left, right] = panes.map((pane) => pane.getBoundingClientRect());
    const sideways = right.left >= left.right;
    const place = (word) => {
      const at = word.getClientRects()[0];
      return {
        left: at.left - origin.left,
        right: at.right - origin.left,
        top: at.top - origin.top,
        bottom: at.bottom - origin.top,
      };
    };
    const lines = sources.flatMap((source) => targets.map((target) => curve(place(source), place(target), sideways)));
    gloss.replace(drawing, lines.map((d) => makeSvg("path", {d})));
  };
  return {element, show, hide};
};
})((window.gloss = window.gloss || {}));
