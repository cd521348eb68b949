#include "model/weights.h"

#include "common/error.h"
#include "model/alternatives/activations.h"
#include "model/alternatives/relative_positions.h"

namespace gloss {
namespace {

/// Collects the weights of a network by their names.
class Weights {
 public:
  void add(const std::string& name, std::vector<std::int64_t> shape) {
    const auto kind = weight_kind(name, shape.size());
    all_[name] = {kind, std::move(shape)};
  }

  void add_linear(const std::string& name, std::int64_t in, std::int64_t out) {
    add(name + ".weight", {out, in});
    add(name + ".bias", {out});
  }

  void add_norm(const std::string& name, const ModelConfig& config) {
    if (config.norm_type == NormType::kNone) return;
    add(name + ".weight", {config.d_model});
    if (config.norm_type == NormType::kRms) return;
    add(name + ".bias", {config.d_model});
    if (config.norm_type != NormType::kBatch) return;
    add(name + ".running_mean", {config.d_model});
    add(name + ".running_variance", {config.d_model});
  }

  void add_score(const std::string& name, AttentionScore score, const ModelConfig& config) {
    const auto d_k = config.d_model / config.heads;
    if (score == AttentionScore::kGeneral) add(name + ".weight", {config.d_model, d_k});
    if (score == AttentionScore::kAdditive) add(name + ".weight", {config.heads, d_k});
    if (score == AttentionScore::kCosine) add(name + ".log_scale", {config.heads});
    if (score == AttentionScore::kLocation) add(name + ".weight", {config.max_positions, config.d_model});
  }

  void add_attention(const std::string& name, AttentionScore score, const ModelConfig& config) {
    for (const char* part : {".query", ".key", ".value", ".output"})
      add_linear(name + part, config.d_model, config.d_model);
    add_score(name + ".score", score, config);
  }

  void add_ssru(const std::string& name, const ModelConfig& config) {
    add(name + ".value.weight", {config.d_model, config.d_model});
    add_linear(name + ".gate", config.d_model, config.d_model);
  }

  void add_layer(const std::string& layer, bool is_decoder, const ModelConfig& config) {
    const bool recurs = is_decoder && !config.has_decoder_self_attention();
    if (recurs) {
      add_ssru(layer + ".recurrence", config);
      add_norm(layer + ".recurrence_norm", config);
    }
    for (const char* attention : {".self_attention", ".cross_attention"}) {
      if (attention == std::string_view(".self_attention") ? recurs : !is_decoder) continue;
      add_attention(layer + attention, config.attention_score, config);
      add_norm(layer + attention + "_norm", config);
    }
    const auto d_ff = is_decoder ? config.decoder_d_ff() : config.d_ff;
    add_linear(layer + ".feed_forward.inner", config.d_model, d_ff);
    if (has_gate(config.activation)) add_linear(layer + ".feed_forward.gate", config.d_model, d_ff);
    add_linear(layer + ".feed_forward.outer", d_ff, config.d_model);
    add_norm(layer + ".feed_forward_norm", config);
  }

  void add_transformer(const ModelConfig& config) {
    for (const std::string stack : {"encoder", "decoder"}) {
      const bool is_decoder = stack == "decoder";
      for (std::int64_t i = 0; i < (is_decoder ? config.decoder_layers : config.encoder_layers); ++i)
        add_layer(stack + ".layers." + std::to_string(i), is_decoder, config);
      if (config.has_final_norm()) add_norm(stack + ".norm", config);
      if (config.positions == Positions::kRelative && (!is_decoder || config.has_decoder_self_attention()))
        add(stack + ".relative_positions.weight", {RelativePositionsImpl::kBuckets, config.heads});
    }
    for (const std::string side : {"source", "target"}) {
      if (config.embedding_norm) add_norm(side + "_embedding_norm", config);
      if (config.positions == Positions::kLearned)
        add(side + "_positions.weight", {config.max_positions, config.d_model});
    }
  }

  void add_gru(const std::string& name, std::int64_t input, std::int64_t units) {
    add_linear(name + ".input", input, 3 * units);
    add_linear(name + ".state", units, 3 * units);
  }

  void add_recurrent(const ModelConfig& config) {
    const auto D = config.d_model;
    const bool attends = config.has_cross_attention();
    for (std::int64_t i = 0; i < config.encoder_layers; ++i)
      for (const char* direction : {".forward", ".backward"})
        add_gru("encoder.layers." + std::to_string(i) + direction, D, D / 2);
    for (std::int64_t i = 0; i < config.decoder_layers; ++i) {
      const auto layer = "decoder.layers." + std::to_string(i);
      add_linear(layer + ".initial", D, D);
      add_gru(layer + ".gru", i == 0 && attends ? 2 * D : D, D);
      if (i == 0 && attends) add_attention(layer + ".cross_attention", AttentionScore::kAdditive, config);
    }
    add_linear("decoder.output", attends ? 3 * D : 2 * D, D);
  }

  std::map<std::string, WeightInfo> take() { return std::move(all_); }

 private:
  std::map<std::string, WeightInfo> all_;
};

}  // namespace

WeightKind weight_kind(std::string_view name, std::size_t dimensions) {
  const auto ends_with = [&](std::string_view end) { return name.ends_with(end); };
  const auto kind = ends_with("bias") || ends_with(".running_mean")              ? WeightKind::kBias
                    : ends_with("norm.weight") || ends_with(".running_variance") ? WeightKind::kNorm
                    : ends_with(".log_scale")                                    ? WeightKind::kLogScale
                    : ends_with("_embedding.weight")                             ? WeightKind::kEmbedding
                    : ends_with("_positions.weight")                             ? WeightKind::kPositions
                    : ends_with(".score.weight")                                 ? WeightKind::kScore
                    : ends_with(".input.weight") || ends_with(".state.weight")   ? WeightKind::kGates
                                                                                 : WeightKind::kMatrix;
  const bool is_vector = kind == WeightKind::kBias || kind == WeightKind::kNorm || kind == WeightKind::kLogScale;
  const std::size_t wanted = is_vector ? 1 : 2;
  if (dimensions == wanted) return kind;
  throw ShapeError(std::string(name) + ": wanted " + std::to_string(wanted) +
                   (wanted == 1 ? " dimension" : " dimensions") + " of a weight of this name, got " +
                   std::to_string(dimensions));
}

std::map<std::string, WeightInfo> network_weights(const ModelConfig& config, const Vocabularies& vocabularies) {
  const auto D = config.d_model;
  Weights weights;
  if (config.is_transformer())
    weights.add_transformer(config);
  else
    weights.add_recurrent(config);
  weights.add(kSourceEmbedding, {vocabularies.source, D});
  for (const std::string name : {kTargetEmbedding, kGeneratorMatrix})
    if (stored_name(name, config.tie_embeddings) == name) weights.add(name, {vocabularies.target, D});
  weights.add("generator.bias", {vocabularies.target});
  return weights.take();
}

std::string stored_name(const std::string& name, TieEmbeddings tie) {
  const bool tied =
      name == kGeneratorMatrix ? tie != TieEmbeddings::kNone : name == kTargetEmbedding && tie == TieEmbeddings::kAll;
  if (!tied) return name;
  return tie == TieEmbeddings::kAll ? kSourceEmbedding : kTargetEmbedding;
}

std::string module_name(const std::string& weight) {
  constexpr std::string_view kLayers = ".layers.";
  const auto layers = weight.find(kLayers);
  if (layers == weight.npos) return weight.substr(0, weight.rfind('.'));
  const auto sublayer = weight.find('.', layers + kLayers.size()) + 1;
  return weight.substr(0, weight.find('.', sublayer));
}

std::int64_t count_parameters(const ModelConfig& config, const Vocabularies& vocabularies) {
  std::int64_t count = 0;
  for (const auto& [name, weight] : network_weights(config, vocabularies)) {
    std::int64_t product = 1;
    for (const auto size : weight.shape) product *= size;
    count += product;
  }
  return count;
}

}  // namespace gloss
