#include "model/weights.h"

#include "common/error.h"
#include "model/make_model.h"
#include "tensor/new_weight.h"

namespace gloss {

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

bool is_running_statistic(std::string_view name) {
  return name.ends_with(".running_mean") || name.ends_with(".running_variance");
}

std::map<std::string, WeightInfo> network_weights(const ModelConfig& config, const Vocabularies& vocabularies) {
  const ShapesOnly without_memory;
  const EncoderDecoder model(make_modules(config, vocabularies));
  std::map<std::string, WeightInfo> weights;
  for (const auto& item : model->named_parameters()) {
    const auto shape = item.value().sizes();
    weights[item.key()] = {weight_kind(item.key(), shape.size()), shape.vec()};
  }
  return weights;
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
