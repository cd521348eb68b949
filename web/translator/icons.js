// Icons of buttons, drawn with lines in a square of 24 units, so that no font has to have them.
(function(gloss) {
"use strict";

const PATHS = {
  swap: "M4 8h15M15 4l4 4-4 4M20 16H5M9 12l-4 4 4 4",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  done: "M5 13l5 5L20 7",
  close: "M6 6l12 12M18 6L6 18",
  add: "M12 5v14M5 12h14",
  book: "M5 4h11a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3zM5 17a3 3 0 0 1 3-3h11M9 8h6",
  file: "M6 3h8l5 5v13H6zM14 3v5h5M12 18v-6M9 15l3-3 3 3",
  key: "M8 12a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM11 13l8-8M16 8l3 3M13 11l2 2",
  sun:
    "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5L19 19M19 5l-1.5 1.5M6.5 " +
    "17.5L5 19",
  moon: "M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5z",
};

gloss.icon = (name) => gloss.makeSvg(
  "svg", {class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true"}, gloss.makeSvg("path", {d: PATHS[name]}));

// A button that shows an icon. Screen readers read its label.
gloss.iconButton = (name, label, press, attributes) => gloss.make("button",
  {type: "button", class: "icon-button", "aria-label": label, title: label, onclick: press, ...attributes},
  gloss.icon(name));

// Returns an icon button with a text beside the icon, which narrow screens leave out.
gloss.wideButton = (name, label, press, attributes) =>
  gloss.make("button", {type: "button", class: "wide-button", "aria-label": label, onclick: press, ...attributes},
    gloss.icon(name), gloss.make("span", null, label));
})((window.gloss = window.gloss || {}));
