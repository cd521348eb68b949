// The text to translate: a field that grows with its text, over a copy of the text whose words can be marked.
(function(gloss) {
"use strict";

const {make} = gloss;

const isSpace = (part) => /^[ \t\n\v\f\r]*$/.test(part);

// Returns the parts of a text that are words or spaces. Words end at spaces, but the first ones are those of `known`,
// if the text has them: POST /v1/score divides scripts without spaces.
function wordParts(text, known = []) {
  const parts = [];
  let at = 0;
  for (const word of known) {
    const begin = text.indexOf(word, at);
    if (begin < 0 || !isSpace(text.slice(at, begin))) return wordParts(text);
    parts.push(text.slice(at, begin), word);
    at = begin + word.length;
  }
  return [...parts, ...(text.slice(at).match(/[ \t\n\v\f\r]+|[^ \t\n\v\f\r]+/g) || [])];
}

// Makes the words of a sentence, each with its number, its place in `text` and its sentence, and the spaces between
// them.
gloss.makeWords = (sentence, text, known, attributes) => {
  const words = [];
  let at = 0;
  const nodes = wordParts(text, known).map((part) => {
    const begin = at;
    at += part.length;
    if (isSpace(part)) return document.createTextNode(part);
    const word = make("span", {class: "word", ...attributes}, part);
    Object.assign(word, {number: words.length, begin, sentence});
    words.push(word);
    return word;
  });
  return {words, nodes};
};

// Returns whether the first words have the texts of `known`: one that is too long for the model has further ones.
gloss.beginWith = (words, known) => known.every((text, i) => words[i]?.textContent === text);

// `input` is called for each change, `now` when the reader does not want to wait, `point` with a word of the copy, or
// null, when the reader points to another.
gloss.sourcePane = ({limit, input, now, point}) => {
  const copy = make("div", {class: "copy text", dir: "auto", "aria-hidden": "true"});
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
    const beginOf = (word) => word.sentence.sourceBegin + word.begin;
    point(words.find((word) => beginOf(word) <= at && at <= beginOf(word) + word.textContent.length) || null);
  });
  const divideSentence = (sentence) => {
    const {words, nodes} = gloss.makeWords(sentence, sentence.source, sentence.details.source_words);
    sentence.sourceWords = words;
    gloss.replace(sentence.sourceElement, nodes);
  };
  update();

  return {
    element: make("section", {class: "pane", "aria-label": "Text"}, make("div", {class: "grows"}, copy, field),
      make("div", {class: "bar"}, count, make("span", {class: "space"}), clear)),
    field,
    text: () => field.value,
    isOver: () => characters() > limit,
    set,
    setLanguage: (code) => field.setAttribute("lang", code),
    // Divides the copy into sentences: {source, sourceBegin, details}. Each gets its `sourceWords` with its details.
    divide: (sentences) => {
      const text = field.value;
      const nodes = [];
      let at = 0;
      for (const sentence of sentences) {
        if (sentence.sourceBegin < at) continue;
        sentence.sourceElement = make("span", null, sentence.source);
        if (sentence.details) divideSentence(sentence);
        nodes.push(text.slice(at, sentence.sourceBegin), sentence.sourceElement);
        at = sentence.sourceBegin + sentence.source.length;
      }
      gloss.replace(copy, nodes, `${text.slice(at)}\n`);
    },
    // Takes the words of a sentence that has its details.
    describe: (sentence) => {
      if (sentence.sourceElement) divideSentence(sentence);
    },
  };
};
})((window.gloss = window.gloss || {}));
