#include "model/weights.h"

#include <cmath>

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include "common/error.h"
#include "common/special_ids.h"
#include "model/make_model.h"
#include "tensor/new_weight.h"

namespace gloss {
namespace {

constexpr std::int64_t kCheckedGrain = 1 << 12;  // fewest elements for each thread

template <typename Draw>
at::Tensor drawn(const at::Tensor& parameter, const Draw& draw) {
  auto values = at::empty(parameter.sizes(), at::kFloat);
  auto* out = values.template mutable_data_ptr<float>();
  at::parallel_for(0, values.numel(), kCheckedGrain, [&](std::int64_t begin, std::int64_t end) {
    for (auto e = begin; e < end; ++e) out[e] = static_cast<float>(draw(static_cast<std::uint64_t>(e)));
  });
  return values;
}

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

void initialize(torch::nn::Module& module, const RandomStream& random) {
  const at::NoGradGuard no_grad;
  for (const auto& item : module.named_parameters()) {
    auto parameter = item.value();
    const auto kind = weight_kind(item.key(), static_cast<std::size_t>(parameter.dim()));
    const auto stream = random.stream(item.key());
    if (kind == WeightKind::kBias || kind == WeightKind::kNorm) {
      parameter.fill_(kind == WeightKind::kNorm ? 1 : 0);
    } else if (kind == WeightKind::kLogScale) {
      parameter.fill_(std::log(kFirstScale));
    } else if (kind == WeightKind::kEmbedding || kind == WeightKind::kPositions) {
      const double deviation = 1 / std::sqrt(static_cast<double>(parameter.size(1)));
      parameter.copy_(drawn(parameter, [&](std::uint64_t e) { return deviation * stream.normal(e); }));
      if (kind == WeightKind::kEmbedding) parameter.select(0, kPad).zero_();
    } else {
      const auto in = parameter.size(1);
      const auto out = kind == WeightKind::kGates   ? parameter.size(0) / 3
                       : kind == WeightKind::kScore ? in  // a score's weight: in = out
                                                    : parameter.size(0);
      const double bound = std::sqrt(6.0 / static_cast<double>(in + out));
      parameter.copy_(drawn(parameter, [&](std::uint64_t e) { return bound * (2 * stream.uniform(e) - 1); }));
    }
  }
}

}  // namespace gloss
