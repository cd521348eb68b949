// Translation while one types: a request for the latest text only, whose sentences are shown as they come.
(function(gloss) {
"use strict";

const PAUSE = 350;        // milliseconds without a key before a text is sent
const MOST_SPOKEN = 500;  // characters of a translation that screen readers read as it is done

// Translates the text of `source` into `target`, both panes, by the choice of `languages`. `found` is called when the
// language of the text is known, `fail` with a failure and the function that tries again.
gloss.typing = ({source, target, languages, notices, fail, found}) => {
  let timer = 0;
  let running = null;

  const stop = () => {
    clearTimeout(timer);
    if (running) running.abort();
    running = null;
  };

  // Finds the place of each sentence in the text, in order, and divides the text there.
  const divide = (text) => {
    let at = 0;
    const placed = [];
    for (const sentence of target.sentences()) {
      const begin = sentence.source ? text.indexOf(sentence.source, at) : -1;
      if (begin < 0) continue;
      sentence.sourceBegin = begin;
      at = begin + sentence.source.length;
      placed.push(sentence);
    }
    source.divide(placed);
  };

  const translate = async () => {
    stop();
    const text = source.text();
    notices.hide();
    if (!text.trim()) {
      target.clear();
      target.setBusy(false);
      languages.forget();
      return;
    }
    if (source.isOver()) {
      notices.note("The text is longer than this server translates at a time.");
      return;
    }
    running = new AbortController();
    const {signal} = running;
    target.setBusy(true);
    try {
      const pair = {source: await languages.find(text, signal), target: languages.target()};
      found();
      source.setLanguage(pair.source);
      target.setLanguage(pair.target);
      const body = {q: text, ...pair, format: "text", glossary: gloss.glossaryOf(pair)};
      let count = 0;
      target.age();
      await gloss.stream("translate", body, signal, (name, data) => {
        if (signal.aborted) return;
        if (name === "sentence") {
          target.put(data.index, data);
          ++count;
        }
        if (name === "done") target.finish(count, data.translatedText);
      });
      if (signal.aborted) return;
      divide(text);
      target.setBusy(false);
      const whole = target.text().trim();
      notices.say(
        `Translated into ${languages.name(pair.target)}.`, whole.length > MOST_SPOKEN ? "" : whole, pair.target);
    } catch (error) {
      if (error.name === "AbortError" || signal.aborted) return;
      target.setBusy(false);
      fail(error, translate);
    }
  };

  return {
    // The text has changed.
    later: () => {
      stop();
      timer = setTimeout(translate, PAUSE);
    },
    now: translate,
  };
};
})((window.gloss = window.gloss || {}));
