// The translation: sentences as they come, their words under the arrow keys.
(function(gloss) {
"use strict";

const {make} = gloss;
const DOUBTS = [0.5, 0.25, 0.1];  // a word whose confidence is below has shade 1, 2, 3

async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Pages that come without TLS from another machine have no clipboard.
  const field = make("textarea", {class: "unseen"});
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

// `open` is called with a word that the reader presses, `point` with one that the reader points to, or null, and `seen`
// with each sentence that comes into view. A sentence is {before, source, text, best, confidence, words, element}: text
// is what the reader has chosen, best is the model's first translation.
gloss.translationPane = ({open, point, seen}) => {
  const output = make("div", {
    class: "text output",
    id: "translation",
    role: "group",
    "aria-label": "Translation",
    dir: "auto",
  });
  const tail = document.createTextNode("");
  const chosen = new Map();  // source sentence -> text that the reader has chosen for it
  let sentences = [];
  let complete = "";

  const watch = new IntersectionObserver((entries) => {
    for (const {target, isIntersecting} of entries)
      if (isIntersecting && target.sentence) seen(target.sentence);
  });
  const words = () => [...output.querySelectorAll(".word")];
  const stopAt = (word) => {
    for (const other of output.querySelectorAll(".word[tabindex='0']")) other.setAttribute("tabindex", -1);
    word.setAttribute("tabindex", 0);
  };
  const keepStop = () => {
    const first = output.querySelector(".word");
    if (first && !output.querySelector(".word[tabindex='0']")) stopAt(first);
  };
  const draw = (sentence) => {
    const attributes = {role: "button", tabindex: -1, "aria-haspopup": "menu", "aria-expanded": "false"};
    const made = gloss.makeWords(sentence, sentence.text, attributes);
    const inner = make("span", {class: "sentence"}, made.nodes);
    const unit = make("span", {class: "unit"}, sentence.before, inner);
    inner.classList.toggle("chosen", sentence.text !== sentence.best);
    unit.sentence = sentence;
    sentence.words = made.words;
    sentence.details = null;
    if (sentence.element) {
      watch.unobserve(sentence.element);
      sentence.element.replaceWith(unit);
    }
    sentence.element = unit;
    watch.observe(unit);
    return unit;
  };
  const remove = (sentence) => {
    watch.unobserve(sentence.element);
    sentence.element.remove();
  };

  output.addEventListener("click", (event) => {
    const word = event.target.closest(".word");
    if (word && window.getSelection().isCollapsed) open(word);
  });
  output.addEventListener("pointerover", (event) => point(event.target.closest(".word")));
  output.addEventListener("pointerleave", () => point(null));
  output.addEventListener("focusin", (event) => {
    stopAt(event.target);
    point(event.target);
  });
  output.addEventListener("focusout", () => point(null));
  output.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      open(event.target);
      return;
    }
    const all = words();
    const at = all.indexOf(event.target);
    const to =
      {ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: all.length - 1};
    const word = all[to[event.key]];
    if (at < 0 || to[event.key] === undefined) return;
    event.preventDefault();
    if (word) word.focus();
  });

  const text = () => sentences.map((each) => each.before + each.text).join("") + tail.data;
  const copy = gloss.iconButton("copy", "Copy the translation", async () => {
    await copyText(text());
    gloss.replace(copy, gloss.icon("done"));
    setTimeout(() => gloss.replace(copy, gloss.icon("copy")), 1500);
  });
  const shades = make("input", {
    type: "checkbox",
    id: "shades",
    onchange: () => {
      gloss.store("shades", shades.checked);
      output.classList.toggle("shaded", shades.checked);
    }
  });
  shades.checked = gloss.stored("shades", true);
  output.classList.toggle("shaded", shades.checked);
  const legend = make("label", {class: "legend", title: "The darker a word, the less sure the model was of it"}, shades,
    make("span", null, "Shade unsure words"));
  const updateBar = () => {
    copy.hidden = sentences.length === 0 && !tail.data;
    legend.hidden = copy.hidden;
  };
  updateBar();

  return {
    element: make("section", {class: "pane result", "aria-label": "Translation"}, output,
      make("div", {class: "bar"}, legend, make("span", {class: "space"}), copy)),
    text,
    sentences: () => sentences,
    setLanguage: (code) => output.setAttribute("lang", code),
    setBusy: (busy) => output.setAttribute("aria-busy", busy),
    forgetChoices: () => chosen.clear(),
    clear: () => {
      sentences.forEach(remove);
      sentences = [];
      tail.data = "";
      updateBar();
    },
    // Dims all sentences, until their text is translated again.
    age: () => sentences.forEach(({element}) => element.classList.add("old")),
    // Takes sentence number `index`. One that has not changed stays as it is, with its details.
    put: (index, {before, source, text: best, confidence}) => {
      const old = sentences[index];
      if (index === 0) complete = "";
      complete += before + best;
      if (old && old.before === before && old.source === source && old.best === best) {
        old.element.classList.remove("old");
        return;
      }
      const sentence =
        {before, source, best, confidence, text: chosen.get(source) ?? best, element: old && old.element};
      sentences[index] = sentence;
      const unit = draw(sentence);
      if (!old) output.append(unit);
      keepStop();
      updateBar();
    },
    // Takes the whole translation after its last sentence.
    finish: (count, whole) => {
      sentences.splice(count).forEach(remove);
      tail.data = whole.slice(count === 0 ? 0 : complete.length);
      output.append(tail);
      keepStop();
      updateBar();
    },
    // Gives a sentence another translation, and returns its words.
    choose: (sentence, next) => {
      sentence.text = next;
      if (next === sentence.best)
        chosen.delete(sentence.source);
      else
        chosen.set(sentence.source, next);
      draw(sentence);
      keepStop();
      return sentence.words;
    },
    // Shades the words of a sentence by its details (POST /v1/score).
    shade: (sentence) => sentence.words.forEach((word, i) => {
      const {confidence} = sentence.details.words[i];
      word.dataset.doubt = DOUBTS.filter((bound) => confidence < bound).length;
      word.title = `${Math.round(100 * confidence)} % sure`;
    }),
  };
};
})((window.gloss = window.gloss || {}));
