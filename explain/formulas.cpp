#include "explain/formulas.h"

namespace gloss {
namespace {

/// Returns the formula of the scores of queries Q and keys K; q and k are a query and a key.
Formula score_formula(AttentionScore score) {
  switch (score) {
    case AttentionScore::kScaledDot:
      return {"Q K^T / sqrt(d_k)", "model/attention.cpp"};
    case AttentionScore::kDot:
      return {"Q K^T", "model/alternatives/scores.cpp"};
    case AttentionScore::kGeneral:
      return {"Q W K^T", "model/alternatives/scores.cpp"};
    case AttentionScore::kAdditive:
      return {"v . tanh(q + k)", "model/alternatives/scores.cpp"};
    case AttentionScore::kCosine:
      return {"cos(q, k) exp(log_scale)", "model/alternatives/scores.cpp"};
    case AttentionScore::kLocation:
      return {"W q", "model/alternatives/scores.cpp"};
  }
  return {};
}

Formula attention_formula(const Part& sublayer, const ModelConfig& config) {
  auto [score, file] = score_formula(config.is_transformer() ? config.attention_score : AttentionScore::kAdditive);
  std::string note;
  if (sublayer.sublayer == Part::Sublayer::kSelf && config.positions == Positions::kRelative) {
    score += " + bias of s - t";
    file += ", model/alternatives/relative_positions.cpp";
  }
  if (sublayer.sublayer == Part::Sublayer::kSelf && config.positions == Positions::kRotary) {
    note = "; queries and keys are rotated by their positions";
    file += ", model/alternatives/rotary_positions.cpp";
  }
  if (!config.is_transformer()) note = "; the query is h_t-1";
  return {"softmax(" + score + ") V, heads side by side, times W^O" + note, file + ", model/multi_head_attention.cpp"};
}

/// Returns the text of the norm of x.
std::string normalized(const std::string& x, NormType type) {
  switch (type) {
    case NormType::kLayer:
      return "norm(" + x + ")";
    case NormType::kBatch:
      return "batch_norm(" + x + ")";
    case NormType::kRms:
      return "rms_norm(" + x + ")";
    case NormType::kNone:
      return x;
  }
  return x;
}

std::string stack_file(Part::Side side, const ModelConfig& config) {
  const std::string name = side == Part::Side::kEncoder ? "encoder.cpp" : "decoder.cpp";
  return config.is_transformer() ? "model/" + name : "model/alternatives/recurrent_" + name;
}

}  // namespace

Formula sublayer_formula(const Part& sublayer, const ModelConfig& config) {
  if (sublayer.is_attention()) return attention_formula(sublayer, config);
  if (sublayer.sublayer == Part::Sublayer::kRecurrence)
    return {"max(0, c_t), c_t = f_t * c_t-1 + (1 - f_t) * W x_t, f_t = sigma(W_f x_t + b_f)",
            "model/alternatives/ssru.cpp"};
  if (has_gate(config.activation))
    return {"(activation(x W_g + b_g) * (x W_1 + b_1)) W_2 + b_2", "model/feed_forward.cpp"};
  return {"activation(x W_1 + b_1) W_2 + b_2", "model/feed_forward.cpp"};
}

Formula layer_formula(const Part& layer, const ModelConfig& config) {
  const auto file = stack_file(layer.side, config);
  if (config.is_transformer()) {
    const std::string x = config.residual ? "x + " : "";
    if (config.norm == NormPlace::kPost) return {normalized(x + "sublayer(x)", config.norm_type), file};
    return {x + "sublayer(" + normalized("x", config.norm_type) + ")", file};
  }
  if (layer.side == Part::Side::kEncoder)
    return {"GRU from left to right and GRU from right to left, side by side", file};
  const bool attends = layer.layer == 0 && config.has_cross_attention();
  return {attends ? "h_t = GRU([x_t, c_t], h_t-1), h_0 from the memory" : "h_t = GRU(x_t, h_t-1), h_0 from the memory",
          file};
}

Formula stack_formula(Part::Side side, const ModelConfig& config) {
  const auto file = stack_file(side, config);
  if (config.is_transformer()) return {config.has_final_norm() ? normalized("x", config.norm_type) : "x", file};
  if (side == Part::Side::kEncoder) return {"x", file};
  return {config.has_cross_attention() ? "tanh(W_o [h_t, c_t, x_t] + b_o)" : "tanh(W_o [h_t, x_t] + b_o)", file};
}

}  // namespace gloss
