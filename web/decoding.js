// Section 5: the decoder step by step: the best tokens, temperature and cuts, the beam, and why not another word.
(function(gloss) {
"use strict";

const {make} = gloss;
const SHOWN = 10;

// Two bars a token: the model's probability, and the one that is left after temperature and cuts.
function distribution(item, t, cut) {
  const {tokens, rest} = gloss.renormalize(item.steps[t], cut);
  const chosen = item.target.pieces[t].id;
  const bar = (kind, share) =>
    make("div", {class: `share ${kind}`}, make("div", {class: "bar", style: `width:${(100 * share).toFixed(2)}%`}),
      make("span", null, share > 0 && share < 0.0005 ? share.toExponential(1) : share.toFixed(3)));
  const row = (name, model, kept, own) => make("tr", {class: own ? "strong"
      : kept === 0                                               ? "cut"
                                                                 : null},
    make("th", {scope: "row"}, name), make("td", null, bar("model", model)), make("td", null, bar("kept", kept)));
  const others = [1, 2].map((kind) => tokens.slice(SHOWN).reduce(
                              (sum, token) => sum + (kind === 1 ? token.model : token.kept), rest[kind - 1]));
  return make("table", {class: "distribution"},
    make("thead", null,
      make("tr", null, make("th", null, "token"), make("th", null, "model"),
        make("th", null, "after temperature and cuts"))),
    make("tbody", null,
      tokens.slice(0, SHOWN).map(({id, model, kept}) => row(item.names[id] ?? id, model, kept, id === chosen)),
      row("all others", ...others, false)));
}

// The pieces of the translation as a row of buttons.
function strip(item, choose) {
  const buttons = item.target.pieces.map(({piece, id, log_probability: own}, t) => {
    const entry = Number.isFinite(own) ? [id, own] : item.steps[t].top.find(([other]) => other === id);
    return make("button", {type: "button", class: "step", onclick: () => choose(t), "data-step": t},
      make("span", null, piece), make("small", null, entry ? Math.exp(entry[1]).toFixed(2) : ""));
  });
  const result = make("div", {class: "strip"}, buttons);
  gloss.arrowKeys(result, buttons, buttons.length);
  result.mark = (t) => buttons.forEach((button, i) => button.setAttribute("aria-pressed", i === t));
  return result;
}

gloss.sections.push({
  id: "decoding",
  title: "Decoding",
  render({item, model}) {
    if (!item.steps || item.steps.length === 0) return gloss.absent("The document holds no steps of the decoder.");
    const state = {t: 0, temperature: 1, k: 0, p: 1};
    const view = make("div", {class: "scroll"});
    const contrast = make("div");
    const pieces = strip(item, (t) => choose(t));
    const deepest = Math.min(100, item.steps[0].top.length);
    const draw = () => gloss.replace(view, distribution(item, state.t, state));
    const choose = (t) => {
      state.t = t;
      pieces.mark(t);
      draw();
      gloss.replace(contrast, gloss.contrast(item, t));
    };
    const slide = (key) => (value) => {
      state[key] = value;
      draw();
    };
    const sliders = [
      gloss.slider("Temperature", {min: 0.1, max: 2, step: 0.1, value: 1, show: (value) => value.toFixed(1)},
        slide("temperature")),
      gloss.slider("Top-k",
        {min: 0, max: deepest, step: 1, value: 0, show: (value) => (value === 0 ? "off" : String(value))}, slide("k")),
      gloss.slider("Top-p",
        {min: 0.01, max: 1, step: 0.01, value: 1, show: (value) => (value === 1 ? "off" : value.toFixed(2))},
        slide("p")),
    ];
    choose(0);
    return [
      gloss.explanation(item.forced
          ? "The translation was given (--target). Each step shows what the model would have said."
          : "The decoder predicts one token after another. Choose a step to see the ten best tokens.",
        [
          ["Formula", "p(y_t | y_<t, x) = softmax(generator(decoder(y_<t, encoder(x))))"],
          [
            "Shape",
            `log-probabilities [pieces, vocabulary] = [${item.target.pieces.length}, ${model.target_vocabulary}]`
          ],
        ]),
      make("p", null, "Translation: ", make("q", null, item.target.text),
        ` log p = ${gloss.format(item.target.log_probability)}` +
          (item.target.score === undefined || item.target.score === null
              ? ""
              : `, score ${gloss.format(item.target.score)}`) +
          (item.target.ended ? "" : "; it reached the limit of length before its end")),
      pieces,
      make("div", {class: "along"},
        make("div", {class: "sliders"}, make("h4", null, "Sampling"), sliders,
          gloss.button("Reset",
            () => {
              Object.assign(state, {temperature: 1, k: 0, p: 1});
              [1, 0, 1].forEach((value, i) => sliders[i].set(value));
              draw();
            }),
          make("p", {class: "note"},
            "Probabilities become p^(1/temperature); top-k keeps the k best of them, top-p the fewest that have " +
              "this share together; the kept ones are divided by their sum. " +
              "Of two tokens with 0.38 and 0.18 alone, 0.68 and 0.32 are left.")),
        gloss.figure("The ten best tokens of the step; bold: the token of the translation; gray: cut.", view)),
      make("h3", null, "Why not this word?"),
      contrast,
      make("h3", null, "The beam"),
      item.beam ? gloss.beamTree(item, model)
                : gloss.absent(item.forced ? "There is no beam: the translation was given (--target)."
                                           : "The beam is not in the document."),
    ];
  },
});
})((window.gloss = window.gloss || {}));
