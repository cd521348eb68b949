#include "model/weights.h"

#include "common/error.h"

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

  void add_norm(const std::string& name, std::int64_t width) {
    add(name + ".weight", {width});
    add(name + ".bias", {width});
  }

  void add_attention(const std::string& name, std::int64_t width) {
    for (const char* part : {".query", ".key", ".value", ".output"}) add_linear(name + part, width, width);
    add_norm(name + "_norm", width);
  }

  void add_stack(const std::string& name, std::int64_t layers, const ModelConfig& config) {
    for (std::int64_t i = 0; i < layers; ++i) {
      const auto layer = name + ".layers." + std::to_string(i);
      add_attention(layer + ".self_attention", config.d_model);
      if (name == "decoder") add_attention(layer + ".cross_attention", config.d_model);
      add_linear(layer + ".feed_forward.inner", config.d_model, config.d_ff);
      add_linear(layer + ".feed_forward.outer", config.d_ff, config.d_model);
      add_norm(layer + ".feed_forward_norm", config.d_model);
    }
    if (config.has_final_norm()) add_norm(name + ".norm", config.d_model);
  }

  std::map<std::string, WeightInfo> take() { return std::move(all_); }

 private:
  std::map<std::string, WeightInfo> all_;
};

}  // namespace

WeightKind weight_kind(std::string_view name, std::size_t dimensions) {
  const auto kind = name.ends_with("bias")                ? WeightKind::kBias
                    : name.ends_with("norm.weight")       ? WeightKind::kNorm
                    : name.ends_with("_embedding.weight") ? WeightKind::kEmbedding
                    : name.ends_with("_positions.weight") ? WeightKind::kPositions
                                                          : WeightKind::kMatrix;
  const std::size_t wanted = kind == WeightKind::kBias || kind == WeightKind::kNorm ? 1 : 2;
  if (dimensions == wanted) return kind;
  throw ShapeError(std::string(name) + ": wanted " + std::to_string(wanted) +
                   (wanted == 1 ? " dimension" : " dimensions") + " of a weight of this name, got " +
                   std::to_string(dimensions));
}

std::map<std::string, WeightInfo> network_weights(const ModelConfig& config, const Vocabularies& vocabularies) {
  const auto D = config.d_model;
  Weights weights;
  weights.add_stack("encoder", config.encoder_layers, config);
  weights.add_stack("decoder", config.decoder_layers, config);
  weights.add(kSourceEmbedding, {vocabularies.source, D});
  for (const std::string name : {kTargetEmbedding, kGeneratorMatrix})
    if (stored_name(name, config.tie_embeddings) == name) weights.add(name, {vocabularies.target, D});
  weights.add("generator.bias", {vocabularies.target});
  if (config.positions == Positions::kLearned)
    for (const auto* side : {"source", "target"})
      weights.add(std::string(side) + "_positions.weight", {config.max_positions, D});
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
