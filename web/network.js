// Facts about a network's configuration, for the texts of the sections. A document may lack the keys of the
// alternatives.
(function(gloss) {
"use strict";

const NORMS = {
  layer: {name: "norm", part: "γ ⊙ (part − mean(part)) / σ", by: "σ", of: "with σ of the whole sum"},
  batch: {name: "batch_norm", part: "γ ⊙ part / σ", by: "σ", of: "with σ from training"},
  rms: {name: "rms_norm", part: "γ ⊙ part / rms", by: "rms", of: "with rms of the whole sum"},
  none: null,
};
const SCORES = {
  scaled_dot: "Q Kᵀ / √d_k",
  dot: "Q Kᵀ",
  general: "Q W Kᵀ",
  additive: "v · tanh(q + k)",
  cosine: "cos(q, k) · scale",
  location: "W q",
};
const DEFAULTS = {
  architecture: "transformer",
  attention_score: "scaled_dot",
  decoder_layer: "attention",
  decoder_start: "bos",
  embedding_norm: false,
  embedding_scale: "sqrt",
  encoder_mask: "full",
  norm: "pre",
  norm_type: "layer",
  position_frequencies: "paper",
  positions: "sinusoidal",
  recurrent_attention: "additive",
  residual: true,
  self_attention_norm: "all",
};

gloss.network = ({config}) => {
  const own = {...DEFAULTS, ...config};
  const recurrent = own.architecture === "recurrent";
  const norm = NORMS[own.norm_type];
  const normalized = (x) => (norm ? `${norm.name}(${x})` : x);
  const stream = own.residual ? "x + " : "";
  return {
    ...own,
    recurrent,
    attends: !recurrent || own.recurrent_attention !== "none",
    residual: !recurrent && own.residual,
    post: own.norm === "post",
    normParts: norm,
    finalNorm: norm !== null && (own.final_norm ?? own.norm !== "post"),
    addsPositions: !recurrent && ["sinusoidal", "learned"].includes(own.positions),
    scores: SCORES[recurrent ? "additive" : own.attention_score] +
      (!recurrent && own.positions === "relative" ? " + bias(s − t)" : ""),
    layerFormula: own.norm === "post" ? normalized(`${stream}sublayer(x)`) : `${stream}sublayer(${normalized("x")})`,
  };
};

// "pre-norm, sinusoidal positions", and what else is not as in the Transformer.
gloss.networkKinds = (model) => {
  const own = gloss.network(model);
  if (own.recurrent) return [own.attends ? "additive attention" : "no attention"];
  const norms = {layer: "", batch: " (batch norm)", rms: " (RMS norm)"};
  return [
    own.norm_type === "none" ? "no norm" : `${own.post ? "post" : "pre"}-norm${norms[own.norm_type]}`,
    own.positions === "none" ? "no positions" : `${own.positions} positions`,
    own.attention_score !== "scaled_dot" && `${own.attention_score.replace("_", " ")} scores`,
    !own.residual && "no residual connections",
    own.encoder_mask === "causal" && "causal encoder",
    own.decoder_layer === "ssru" && "SSRU in place of the decoder's self-attention",
    own.decoder_start === "zero" && "a decoder that starts from zero",
    own.self_attention_norm === "query" && "self-attention that norms the query only",
    own.embedding_norm && "a norm of embeddings plus positions",
    own.embedding_scale === "one" && "embeddings without √d_model",
    own.activation && own.activation !== "relu" && own.activation,
  ].filter(Boolean);
};
})((window.gloss = window.gloss || {}));
