// The glossary: phrases and the translations that they must have, for each pair of languages, kept by the browser.
(function(gloss) {
"use strict";

const {make} = gloss;
const keyOf = ({source, target}) => `${source}-${target}`;

// Returns the entries of a pair of languages: [[phrase, translation], ...].
const entriesOf = (pair) => gloss.stored("glossary", {})[keyOf(pair)] || [];

// Returns the glossary of a pair as POST /translate takes it; undefined if it is empty.
gloss.glossaryOf = (pair) => {
  const entries = entriesOf(pair);
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
};

function keep(pair, entries) {
  const all = gloss.stored("glossary", {});
  all[keyOf(pair)] = entries;
  gloss.store("glossary", all);
}

// The button that opens the table. `pair` returns {source, target}, `name` the name of a language; `change` is called
// after an edit.
gloss.glossaryButton = ({pair, name, change}) => {
  const open = () => {
    const languages = pair();
    const before = JSON.stringify(entriesOf(languages));
    const body = make("tbody");
    const rows =
      () => [...body.children].map((row) => [...row.querySelectorAll("input")].map(({value}) => value.trim()));
    const isUsed = ([phrase, translation], i, all) =>
      phrase && translation && all.findIndex(([other]) => other === phrase) === i;
    const complete = () => rows().filter(isUsed);
    const add = ([phrase, translation] = ["", ""]) => {
      const cell = (value, label) =>
        make("td", null, make("input", {type: "text", dir: "auto", "aria-label": label, value}));
      const remove = gloss.iconButton("close", "Remove this entry", () => {
        row.remove();
        if (body.children.length === 0) add();
        keep(languages, complete());
      });
      const row = make("tr", null, cell(phrase, `Phrase in ${name(languages.source)}`),
        cell(translation, `Translation into ${name(languages.target)}`), make("td", null, remove));
      body.append(row);
      return row;
    };
    // Marks the rows that are left out, and says why.
    const fault = make("p", {class: "fault", role: "status"});
    const check = () => {
      const faulty = rows().map((row, i, all) => row.join("") !== "" && !isUsed(row, i, all));
      [...body.children].forEach((row, i) => {
        for (const input of row.querySelectorAll("input")) input.setAttribute("aria-invalid", faulty[i]);
      });
      fault.textContent =
        faulty.includes(true) ? "A marked entry is not used: a side is empty, or its phrase stands above." : "";
    };
    entriesOf(languages).forEach(add);
    const first = add().querySelector("input");
    body.addEventListener("input", () => keep(languages, complete()));
    body.addEventListener(
      "focusout", ({target, relatedTarget}) => target.closest("tr").contains(relatedTarget) || check());
    body.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.target.tagName !== "INPUT") return;
      event.preventDefault();
      const inputs = [...body.querySelectorAll("input")];
      const next = inputs[inputs.indexOf(event.target) + 1] || add().querySelector("input");
      next.focus();
    });
    const table = make("table", null,
      make("thead", null,
        make("tr", null, make("th", {scope: "col"}, name(languages.source)),
          make("th", {scope: "col"}, name(languages.target)), make("td", null))),
      body);
    const closed = () => {
      update();
      button.focus();
      if (JSON.stringify(entriesOf(languages)) !== before) change();
    };
    gloss.dialog("Glossary", closed,
      make("p", null,
        "Where the text has a phrase of the left column, the translation gets that of the right one. " +
          "The list stays in this browser."),
      table, fault,
      make("div", {class: "actions"},
        gloss.wideButton("add", "Add an entry", () => add().querySelector("input").focus())));
    first.focus();
  };
  const button = gloss.wideButton("book", "Glossary", open);
  const update = () => {
    const count = entriesOf(pair()).length;
    const label = count > 0 ? `Glossary (${count})` : "Glossary";
    button.querySelector("span").textContent = label;
    button.setAttribute("aria-label", label);
  };
  update();
  return {element: button, update};
};
})((window.gloss = window.gloss || {}));
