// Cutting and renormalizing the distribution of a step, as gloss samples: temperature, then top-k, then top-p.
(function(gloss) {
"use strict";

function logSumExp(values) {
  const high = Math.max(...values);
  return high === -Infinity ? high : high + Math.log(values.reduce((sum, value) => sum + Math.exp(value - high), 0));
}

// step: {top: [[id, log p], ...] best first, tail: log of the sum of p^(1/temperature) over all other tokens, for
// temperature 0.1, 0.2, ..., 2}. k = 0 and p = 1 cut nothing. Returns {tokens: [{id, model, kept}], rest: [model,
// kept]} with probabilities; rest is the share of the tokens that are not in top.
gloss.renormalize = (step, {temperature, k, p}) => {
  const stored = step.tail ? step.tail[Math.round(temperature * 10) - 1] : null;
  const scaled = step.top.map(([, logP]) => logP / temperature);
  const tail = stored === null || stored === undefined ? -Infinity : stored;
  const normalizer = logSumExp([...scaled, tail]);
  let kept = scaled.map((value) => Math.exp(value - normalizer));
  let rest = Math.exp(tail - normalizer);
  if (k > 0) {
    kept = kept.map((value, i) => (i < k ? value : 0));
    if (k <= kept.length) rest = 0;
  }
  if (p < 1) {
    const wanted = p * (kept.reduce((sum, value) => sum + value, 0) + rest);
    let sum = 0;
    kept = kept.map((value) => {
      const keep = sum < wanted;
      sum += value;
      return keep ? value : 0;
    });
    if (sum >= wanted) rest = 0;
  }
  const total = kept.reduce((sum, value) => sum + value, 0) + rest;
  const model = step.top.map(([, logP]) => Math.exp(logP));
  return {
    tokens: step.top.map(([id], i) => ({id, model: model[i], kept: kept[i] / total})),
    rest: [Math.max(0, 1 - model.reduce((sum, value) => sum + value, 0)), rest / total],
  };
};
})((window.gloss = window.gloss || {}));
