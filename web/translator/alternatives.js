// The menu of a word: other words in its place, other translations of its sentence, and the sentence's explanation.
(function(gloss) {
"use strict";

const {make} = gloss;
const MOST_SENTENCES = 5;
const MOST_EXPLAINED = 500;  // characters of a sentence that the server explains

// Opens the explanation of a sentence in a tab of its own. A form sends the text, and the key if there is one, so that
// neither stands in an address.
function explain(source, {from, to}) {
  const field = (name, value) => make("input", {type: "hidden", name, value});
  const form = make("form", {method: "post", action: "v1/explanation", target: "_blank", rel: "noopener", hidden: true},
    field("q", source), field("source", from), field("target", to), gloss.key() && field("api_key", gloss.key()));
  document.body.append(form);
  form.submit();
  form.remove();
}

// `languages` returns {source, target}; `choose(sentence, text, known)` shows a translation, of which the first words
// may be known, and returns its words; `fail` gets failures.
gloss.alternatives = ({languages, choose, fail}) => {
  const choosing = (sentence, number, text, known) => () => {
    const words = choose(sentence, text, known);
    const word = words[Math.min(number, words.length - 1)];
    if (word) word.focus();
  };
  // Fills a menu with the items that a request finds, or with a note that it failed.
  const fill = async (menu, request, itemsOf, further) => {
    menu.show([{note: "Searching…"}, ...further]);
    let items;
    try {
      items = itemsOf(await request(menu.signal));
    } catch (error) {
      if (error.name === "AbortError") return;
      if (error.status === 0 || error.status === 403) {
        menu.close();
        fail(error);
        return;
      }
      items = [{note: error.message}];
    }
    menu.show([...items, ...further]);
  };

  const openSentence = (word) => {
    const {sentence} = word;
    const {source, target} = languages();
    const menu = gloss.openMenu(word, "Other translations of the sentence", target);
    const request = (signal) =>
      gloss.post("translate", {q: sentence.source, source, target, alternatives: MOST_SENTENCES}, signal);
    const itemsOf = (answer) => {
      const texts = [answer.translatedText, ...answer.alternatives].filter((text) => text !== sentence.text);
      if (texts.length === 0) return [{note: "The model found no other translation."}];
      return texts.map((text) => ({text, press: choosing(sentence, word.number, text)}));
    };
    fill(menu, request, itemsOf, []);
  };

  return (word) => {
    const {sentence, number} = word;
    const {source, target} = languages();
    const menu = gloss.openMenu(word, `Other words for ${word.textContent}`, target);
    const prefix = sentence.text.slice(0, word.begin).trimEnd();
    const before = sentence.words.slice(0, number).map((each) => each.textContent);
    const further = [
      {line: true},
      sentence.text !== sentence.best &&
        {text: "Back to the first translation", press: choosing(sentence, number, sentence.best)},
      {text: "Other translations of the sentence…", press: () => openSentence(word)},
      [...sentence.source].length <= MOST_EXPLAINED &&
        {text: "Explain the sentence", press: () => explain(sentence.source, {from: source, to: target})},
    ].filter(Boolean);
    const itemOf = ({word: other, text}) => {
      const rest = text.slice(text.indexOf(other, prefix.length) + other.length).trim();
      return {text: other, detail: rest, press: choosing(sentence, number, text, [...before, other])};
    };
    const request = (signal) => gloss.post("v1/alternatives", {q: sentence.source, prefix, source, target}, signal);
    const itemsOf = ({alternatives}) => {
      const others = alternatives.filter((each) => each.word !== word.textContent);
      return others.length > 0 ? others.map(itemOf) : [{note: "The model found no other word here."}];
    };
    fill(menu, request, itemsOf, further);
  };
};
})((window.gloss = window.gloss || {}));
