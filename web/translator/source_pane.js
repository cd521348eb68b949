// The text to translate: a field that grows with its text, over a copy of the text whose words can be marked.
(function(gloss) {
"use strict";

const {make} = gloss;

// Returns the parts of a text that are words or spaces, as word_links counts words.
gloss.wordParts = (text) => text.match(/[ \t\n\v\f\r]+|[^ \t\n\v\f\r]+/g) || [];
gloss.isWord = (part) => !/^[ \t\n\v\f\r]/.test(part);

// Makes the words of a sentence, each with its number and its sentence, and the spaces between them.
gloss.makeWords = (sentence, text, attributes) => {
  const words = [];
  const nodes = gloss.wordParts(text).map((part) => {
    if (!gloss.isWord(part)) return document.createTextNode(part);
    const word = make("span", {class: "word", ...attributes}, part);
    word.number = words.length;
    word.sentence = sentence;
    words.push(word);
    return word;
  });
  return {words, nodes};
};

// `input` is called for each change, `now` when the reader does not want to wait, `point` with a word of the copy, or
// null, when the reader points to another.
gloss.sourcePane = ({limit, input, now, point}) => {
  const copy = make("div", {class: "copy text", "aria-hidden": "true"});
  const field = make("textarea", {
    class: "text",
    id: "source",
    rows: 1,
    dir: "auto",
    "aria-label": "Text to translate",
    "aria-describedby": "count",
    placeholder: "Type or paste a text",
  });
  const count = make("span", {class: "count", id: "count"});
  const clear = gloss.iconButton("close", "Clear the text", () => {
    set("");
    field.focus();
  });

  const characters = () => [...field.value].length;
  const update = () => {
    const number = characters();
    count.textContent = `${number.toLocaleString("en-US")} / ${limit.toLocaleString("en-US")}`;
    count.classList.toggle("over", number > limit);
    clear.hidden = number === 0;
    copy.textContent = `${field.value}\n`;  // the last line has its height even if it is empty
  };
  const set = (text) => {
    field.value = text;
    update();
    input();
  };
  field.addEventListener("input", () => {
    update();
    input();
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    now();
  });

  // The field lies over the copy, so that a place is looked up in what is below it.
  const wordAt = (x, y) =>
    document.elementsFromPoint(x, y).find((each) => each.classList.contains("word") && copy.contains(each)) || null;
  field.addEventListener("pointermove", (event) => point(wordAt(event.clientX, event.clientY)));
  field.addEventListener("pointerleave", () => point(null));
  field.addEventListener("blur", () => point(null));
  field.addEventListener("keyup", (event) => {
    if (!event.key.startsWith("Arrow") && event.key !== "Home" && event.key !== "End") return;
    const at = field.selectionStart;
    const words = [...copy.querySelectorAll(".word")];
    point(words.find((word) => word.begin <= at && at <= word.begin + word.textContent.length) || null);
  });
  update();

  return {
    element: make("section", {class: "pane", "aria-label": "Text"}, make("div", {class: "grows"}, copy, field),
      make("div", {class: "bar"}, count, make("span", {class: "space"}), clear)),
    field,
    text: () => field.value,
    isOver: () => characters() > limit,
    set,
    setLanguage: (code) => field.setAttribute("lang", code),
    // Divides the copy into the words of sentences: {source, sourceBegin}. Each gets its `sourceWords`.
    divide: (sentences) => {
      const text = field.value;
      const nodes = [];
      let at = 0;
      for (const sentence of sentences) {
        if (sentence.sourceBegin < at) continue;
        const {words, nodes: own} = gloss.makeWords(sentence, sentence.source);
        sentence.sourceWords = words;
        nodes.push(text.slice(at, sentence.sourceBegin), own);
        at = sentence.sourceBegin;
        for (const node of own) {
          node.begin = at;
          at += node.textContent.length;
        }
      }
      gloss.replace(copy, nodes, `${text.slice(at)}\n`);
    },
  };
};
})((window.gloss = window.gloss || {}));
