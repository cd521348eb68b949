// The translation: sentences as they come, their words under the arrow keys.
(function(gloss) {
"use strict";

const {make} = gloss;
const DOUBTS = [0.5, 0.25, 0.1];  // a word whose confidence is below has shade 1, 2, 3

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return;
  } catch {
    // A page that comes without TLS from another machine has no clipboard.
  }
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

  // A sentence is divided into words as it comes near the screen: a book has too many for a browser.
  const watch = new IntersectionObserver((entries) => {
    for (const {target: {sentence}, isIntersecting} of entries) {
      if (!isIntersecting) continue;
      if (!sentence.isDivided) {
        sentence.isDivided = Boolean(sentence.source);
        draw(sentence);
        keepStop();
      }
      seen(sentence);
    }
  }, {rootMargin: "50%"});
  const words = () => [...output.querySelectorAll(".word")];
  const stopAt = (word) => {
    for (const other of output.querySelectorAll(".word[tabindex='0']")) other.setAttribute("tabindex", -1);
    word.setAttribute("tabindex", 0);
  };
  const keepStop = () => {
    const first = output.querySelector(".word");
    if (first && !output.querySelector(".word[tabindex='0']")) stopAt(first);
  };
  // Draws a sentence anew, with words that are known. One without source came through a third language, so that the
  // server knows nothing of its words.
  const draw = (sentence, known) => {
    const focused = sentence.words.find((word) => word === document.activeElement);
    const attributes = {role: "button", tabindex: -1, "aria-haspopup": "menu", "aria-expanded": "false"};
    const {words, nodes} = sentence.isDivided ? gloss.makeWords(sentence, sentence.text, known, attributes)
                                              : {words: [], nodes: sentence.text};
    const inner = make("span", {class: "sentence"}, nodes);
    const unit = make("span", {class: "unit"}, sentence.before, inner);
    inner.classList.toggle("chosen", sentence.text !== sentence.best);
    unit.sentence = sentence;
    sentence.words = words;
    sentence.details = null;
    if (sentence.element) {
      watch.unobserve(sentence.element);
      sentence.element.replaceWith(unit);
    }
    sentence.element = unit;
    watch.observe(unit);
    if (focused) sentence.words.filter(({begin}) => begin <= focused.begin).pop().focus();
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
    const right = window.getComputedStyle(output).direction === "rtl" ? -1 : 1;
    const to = {
      ArrowRight: at + right,
      ArrowDown: at + 1,
      ArrowLeft: at - right,
      ArrowUp: at - 1,
      Home: 0,
      End: all.length - 1,
    };
    const word = all[to[event.key]];
    if (at < 0 || to[event.key] === undefined) return;
    event.preventDefault();
    if (word) word.focus();
  });

  const text = () => sentences.map((each) => each.before + each.text).join("") + tail.data;
  const copy = gloss.iconButton("copy", "Copy the translation", async () => {
    await copyText(text());
    show("done", "Copied");
    copy.focus();
    setTimeout(() => show("copy", "Copy the translation"), 1500);
  });
  const show = (icon, label) => {
    gloss.replace(copy, gloss.icon(icon));
    copy.title = label;
    copy.setAttribute("aria-label", label);
  };
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
  const indirect =
    make("span", null, "No model translates between these languages alone: there are no other words and no links.");
  const updateBar = () => {
    copy.hidden = sentences.length === 0 && !tail.data;
    indirect.hidden = sentences.length === 0 || Boolean(sentences[0].source);
    legend.hidden = copy.hidden || !indirect.hidden;
  };
  updateBar();

  return {
    element: make("section", {class: "pane result", "aria-label": "Translation"}, output,
      make("div", {class: "bar"}, legend, indirect, make("span", {class: "space"}), copy)),
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
      const sentence = {
        before,
        source,
        best,
        confidence,
        text: chosen.get(source) ?? best,
        element: old?.element,
        isDivided: old?.isDivided,
        words: []
      };
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
    // Gives a sentence another translation, of which the first words may be known, and returns its words.
    choose: (sentence, next, known) => {
      sentence.text = next;
      if (next === sentence.best)
        chosen.delete(sentence.source);
      else
        chosen.set(sentence.source, next);
      draw(sentence, known);
      keepStop();
      return sentence.words;
    },
    // Takes the details of a sentence (POST /v1/score): its words, and how sure the model was of each.
    describe: (sentence, details) => {
      const known = details.words.map(({text}) => text);
      if (!gloss.beginWith(sentence.words, known)) {
        if (sentence.words.some(({ariaExpanded}) => ariaExpanded === "true")) gloss.closeMenu();
        draw(sentence, known);
        keepStop();
        // The text as the model reads it may have other words than the text as it is shown.
        if (!gloss.beginWith(sentence.words, known)) return;
      }
      sentence.details = details;
      details.words.forEach(({confidence}, i) => {
        const word = sentence.words[i];
        word.dataset.doubt = DOUBTS.filter((bound) => confidence < bound).length;
        word.title = `${Math.round(100 * confidence)} % sure`;
      });
    },
  };
};
})((window.gloss = window.gloss || {}));
