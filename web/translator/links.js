// Links between a word and the words that it translates: marks, and lines between the panes.
(function(gloss) {
"use strict";

const {make, makeSvg} = gloss;

// Returns a curve from a word of the text to one of the translation, both as rectangles: sideways between panes that
// stand side by side, downwards between those one above the other.
function curve(from, to) {
  const sideways = to.left > from.right;
  const [x1, y1, x2, y2] = sideways ? [from.right, from.bottom - 2, to.left, to.bottom - 2]
                                    : [(from.left + from.right) / 2, from.bottom, (to.left + to.right) / 2, to.top];
  const bend = sideways ? Math.max(30, (x2 - x1) / 2) : Math.max(30, (y2 - y1) / 2);
  const [dx, dy] = sideways ? [bend, 0] : [0, bend];
  return `M${x1} ${y1}C${x1 + dx} ${y1 + dy} ${x2 - dx} ${y2 - dy} ${x2} ${y2}`;
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
    marked = [...sources, ...targets];
    for (const word of marked) word.classList.add("marked");
    const origin = element.getBoundingClientRect();
    const place = (word) => {
      const {left, right, top, bottom} = word.getClientRects()[0];
      return {left: left - origin.left, right: right - origin.left, top: top - origin.top, bottom: bottom - origin.top};
    };
    const lines = sources.flatMap((source) => targets.map((target) => curve(place(source), place(target))));
    gloss.replace(drawing, lines.map((d) => makeSvg("path", {d})));
  };
  return {element, show, hide};
};
})((window.gloss = window.gloss || {}));
