// Elements of the page. Text enters the document through textContent only, so that markup stays text.
(function(gloss) {
"use strict";

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on"))
      element.addEventListener(name.slice(2), value);
    else if (name === "value")
      element.value = value;
    else
      element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

// make("button", {type: "button", onclick: f}, "Reset") returns an element with attributes, listeners and children.
gloss.make = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

// makeSvg("path", {d}) returns an element of a drawing, like make.
gloss.makeSvg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

// Replaces the children of an element.
gloss.replace = (element, ...children) => {
  element.replaceChildren();
  return fill(element, null, children);
};

// A labeled drop-down list. choices: [{value, text}] or strings; change receives the value as text.
gloss.select = (label, choices, value, change, attributes) => {
  const options = choices.map((choice) => {
    const {value: own, text} = typeof choice === "object" ? choice : {value: choice, text: choice};
    return gloss.make("option", {value: own, selected: String(own) === String(value)}, text);
  });
  const list = gloss.make("select", {onchange: () => change(list.value), ...attributes}, options);
  return gloss.make("label", {class: "control"}, gloss.make("span", null, label), list);
};

// A labelled slider that shows its value. change receives the number.
gloss.slider = (label, {min, max, step, value, show = String}, change) => {
  const shown = gloss.make("output", null, show(value));
  const input = gloss.make("input", {
    type: "range",
    min,
    max,
    step,
    "aria-label": label,
    oninput: () => {
      shown.textContent = show(Number(input.value));
      change(Number(input.value));
    },
  });
  input.value = value;
  const result = gloss.make("label", {class: "control slider"}, gloss.make("span", null, label), input, shown);
  result.set = (next) => {
    input.value = next;
    shown.textContent = show(Number(input.value));
  };
  return result;
};

gloss.checkbox = (label, checked, change) => {
  const input = gloss.make("input", {type: "checkbox", onchange: () => change(input.checked)});
  input.checked = checked;
  return gloss.make("label", {class: "control check"}, input, gloss.make("span", null, label));
};

gloss.button = (label, press, attributes) =>
  gloss.make("button", {type: "button", onclick: press, ...attributes}, label);

// A picture with its caption.
gloss.figure = (caption, ...children) =>
  gloss.make("figure", null, children, caption && gloss.make("figcaption", null, caption));

// The explanation at the head of a part: sentences, and lines of [name, formula or shape].
gloss.explanation = (sentences, facts) => gloss.make("div", {class: "explanation"}, gloss.make("p", null, sentences),
  facts && gloss.make("dl", null, facts.map(([name,
    value]) => gloss.make("div", null, gloss.make("dt", null, name), gloss.make("dd", null, value)))));

// One line in place of a part whose numbers are not in the document.
gloss.absent = (sentence) => gloss.make("p", {class: "absent"}, sentence);

// Makes the items inside a container one stop of the Tab key; arrow keys move between them.
gloss.arrowKeys = (container, items, columns) => {
  items.forEach((item, index) => item.setAttribute("tabindex", index === 0 ? 0 : -1));
  container.addEventListener("keydown", (event) => {
    const from = items.indexOf(event.target);
    const step = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns}[event.key];
    if (from < 0 || step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const to = from + step;
    if (to < 0 || to >= items.length) return;
    items[from].setAttribute("tabindex", -1);
    items[to].setAttribute("tabindex", 0);
    items[to].focus();
  });
};
})((window.gloss = window.gloss || {}));
