// A menu at a word: items under the arrow keys, closed by Escape, Tab, a choice, or a press elsewhere.
(function(gloss) {
"use strict";

const {make} = gloss;
const MARGIN = 8;  // pixels between a menu and the edge of the screen
const GAP = 4;     // and its word
const LEAST_HEIGHT = 160;
let current = null;

gloss.closeMenu = () => current && current.close();

// Places an element under an anchor, or above it where there is more room, inside the screen.
function place(element, anchor) {
  const at = anchor.getClientRects()[0] || anchor.getBoundingClientRect();
  element.style.maxHeight = "";
  const below = window.innerHeight - at.bottom - GAP - MARGIN;
  const above = at.top - GAP - MARGIN;
  const isBelow = element.offsetHeight <= below || below >= above;
  element.style.maxHeight = `${Math.min(element.offsetHeight, Math.max(LEAST_HEIGHT, isBelow ? below : above))}px`;
  const {offsetWidth: width, offsetHeight: height} = element;
  const left = Math.max(MARGIN, Math.min(at.left, document.documentElement.clientWidth - width - MARGIN));
  const top = isBelow ? at.bottom + GAP : at.top - GAP - height;
  element.style.left = `${left + window.scrollX}px`;
  element.style.top = `${top + window.scrollY}px`;
}

// An item: {text, detail, press}, or {note} for a line without a choice, or {line: true}.
function itemOf({text, detail, press, note, line}, close) {
  if (line) return make("div", {class: "line", role: "separator"});
  if (note) return make("p", {class: "note"}, note);
  return make("button", {
    type: "button",
    role: "menuitem",
    tabindex: -1,
    onclick: () => {
      close();
      press();
    },
  },
    make("span", {class: "choice", dir: "auto"}, text), detail && make("span", {class: "detail", dir: "auto"}, detail));
}

// Opens a menu at an element and returns {show(items), signal, close}. The signal tells requests for items to end.
gloss.openMenu = (anchor, label, language) => {
  gloss.closeMenu();
  const ends = new AbortController();
  const element = make("div", {class: "menu", role: "menu", "aria-label": label, tabindex: -1, lang: language});
  const items = () => [...element.querySelectorAll("[role=menuitem]")];
  const close = (focuses = true) => {
    if (current !== menu) return;
    current = null;
    ends.abort();
    element.remove();
    anchor.setAttribute("aria-expanded", "false");
    if (focuses && anchor.isConnected) anchor.focus();
  };
  const move = (event) => {
    const all = items();
    const at = all.indexOf(document.activeElement);
    const last = all.length - 1;
    const to = {ArrowDown: at < last ? at + 1 : 0, ArrowUp: at > 0 ? at - 1 : last, Home: 0, End: last}[event.key];
    if (event.key === "Escape" || event.key === "Tab") close();
    if (event.key === "Escape" || to !== undefined) event.preventDefault();
    if (to !== undefined && all.length > 0) all[to].focus();
    event.stopPropagation();
  };
  element.addEventListener("keydown", move);
  document.addEventListener(
    "pointerdown", (event) => element.contains(event.target) || close(false), {signal: ends.signal});
  const width = window.innerWidth;  // its height changes when a phone shows its keyboard
  window.addEventListener("resize", () => window.innerWidth === width || close(false), {signal: ends.signal});
  const menu = {
    signal: ends.signal,
    close,
    show: (list) => {
      const had = items().indexOf(document.activeElement);
      const focused = element.contains(document.activeElement) || document.activeElement === anchor;
      gloss.replace(element, list.map((item) => itemOf(item, close)));
      place(element, anchor);
      const all = items();
      if (focused) (all[Math.max(0, had)] || element).focus();
    },
  };
  current = menu;
  anchor.setAttribute("aria-expanded", "true");
  document.body.append(element);
  element.focus();
  return menu;
};
})((window.gloss = window.gloss || {}));
