// Details of the sentences in view: how sure the model was of each word, and which words it attended to.
(function(gloss) {
"use strict";

const WAIT = 120;       // milliseconds in which further sentences come into view
const MOST_PAIRS = 32;  // of a request
const MOST_KEPT = 2000;

// `languages` returns {source, target}. `take` is called with a sentence and its details.
gloss.details = ({languages, take}) => {
  const kept = new Map();  // languages, source and text -> details
  let waiting = new Set();
  let timer = 0;
  let last = Promise.resolve();

  const keyOf = ({source, target}, sentence) => JSON.stringify([source, target, sentence.source, sentence.text]);
  const ask = async () => {
    const pair = languages();
    const sentences = [...waiting].filter(({element}) => element.isConnected);
    waiting = new Set();
    for (let at = 0; at < sentences.length; at += MOST_PAIRS) {
      const part = sentences.slice(at, at + MOST_PAIRS);
      const pairs = part.map(({source, text}) => ({source, target: text}));
      const keys = part.map((sentence) => keyOf(pair, sentence));
      const answer = await gloss.post("v1/score", {...pair, pairs});
      if (kept.size > MOST_KEPT) kept.clear();
      answer.pairs.forEach((details, i) => {
        kept.set(keys[i], details);
        const sentence = part[i];
        if (sentence.element.isConnected && keyOf(pair, sentence) === keys[i]) take(sentence, details);
      });
    }
  };
  // A sentence without details is complete all the same, so that a failure is not worth a notice.
  const quietly = () => ask().catch((error) => console.info(`Words without details: ${error.message}`));

  return {
    want: (sentence) => {
      const pair = languages();
      if (sentence.details || !sentence.source || !pair.source) return;
      const known = kept.get(keyOf(pair, sentence));
      if (known) {
        take(sentence, known);
        return;
      }
      waiting.add(sentence);
      clearTimeout(timer);
      timer = setTimeout(() => {
        last = last.then(quietly);
      }, WAIT);
    },
    // Returns the words that belong to a word of either side: {sources, targets}, or null if they are not known.
    linked: (word) => {
      const {sentence} = word;
      const {details, sourceWords} = sentence;
      if (!details || !sourceWords || details.source_words.length !== sourceWords.length) return null;
      const isSource = sourceWords[word.number] === word;
      const links = details.alignment.filter(([source, target]) => (isSource ? source : target) === word.number);
      const pick = (words, side) => [...new Set(links.map((link) => words[link[side]]))].filter(Boolean);
      return {
        sources: isSource ? [word] : pick(sourceWords, 0),
        targets: isSource ? pick(sentence.words, 1) : [word],
      };
    },
  };
};
})((window.gloss = window.gloss || {}));
