#include "model/inference/inference_layers.h"

#include <utility>

#include "model/kernels/kernel_table.h"

namespace gloss {
namespace {

constexpr float kEpsilonOfNorm = 1e-5F;

using Parameters = torch::OrderedDict<std::string, at::Tensor>;

LinearWeights linear_named(const Parameters& parameters, const std::string& name) {
  return {parameters[name + ".weight"], parameters[name + ".bias"]};
}

InferenceNorm norm_named(const Parameters& parameters, const std::string& name) {
  return {parameters[name + ".weight"].detach().clone(), parameters[name + ".bias"].detach().clone()};
}

InferenceSelfAttention self_attention_of(const Parameters& parameters, const std::string& layer) {
  const auto site = layer + ".self_attention.";
  const LinearWeights sides[] = {linear_named(parameters, site + "key"), linear_named(parameters, site + "value")};
  return {PackedLinear(linear_named(parameters, site + "query")), PackedLinear(sides),
          PackedLinear(linear_named(parameters, site + "output")),
          norm_named(parameters, layer + ".self_attention_norm")};
}

InferenceCrossAttention cross_attention_of(const Parameters& parameters, const std::string& layer) {
  const auto site = layer + ".cross_attention.";
  return {PackedLinear(linear_named(parameters, site + "query")),
          PackedLinear(linear_named(parameters, site + "output")),
          norm_named(parameters, layer + ".cross_attention_norm")};
}

InferenceFeedForward feed_forward_of(const Parameters& parameters, const std::string& layer) {
  return {PackedLinear(linear_named(parameters, layer + ".feed_forward.inner")),
          PackedLinear(linear_named(parameters, layer + ".feed_forward.outer")),
          norm_named(parameters, layer + ".feed_forward_norm")};
}

}  // namespace

InferenceNorm::InferenceNorm(at::Tensor weight, at::Tensor bias) : weight_(std::move(weight)), bias_(std::move(bias)) {}

void InferenceNorm::apply(kernels::Rows x, std::int64_t rows, kernels::MutableRows y) const {
  const kernels::NormWeights weights{weight_.const_data_ptr<float>(), bias_.const_data_ptr<float>(), weight_.size(0),
                                     kEpsilonOfNorm};
  const auto& table = kernels::kernel_table();
  for (std::int64_t row = 0; row < rows; ++row) {
    table.layer_norm(x.data + row * x.stride, weights, y.data + row * y.stride);
  }
}

InferenceWeights inference_weights(const torch::nn::Module& model, const ModelConfig& config) {
  const auto parameters = model.named_parameters();
  const auto embedding = [&](const char* name) { return parameters[name].detach().clone(); };  // [V, D]
  InferenceWeights result;
  for (std::int64_t i = 0; i < config.encoder_layers; ++i) {
    const auto layer = "encoder.layers." + std::to_string(i);
    result.encoder.push_back({self_attention_of(parameters, layer), feed_forward_of(parameters, layer)});
  }
  std::vector<LinearWeights> memory;
  for (std::int64_t i = 0; i < config.decoder_layers; ++i) {
    const auto layer = "decoder.layers." + std::to_string(i);
    result.decoder.push_back({self_attention_of(parameters, layer), cross_attention_of(parameters, layer),
                              feed_forward_of(parameters, layer)});
    for (const auto* side : {".cross_attention.key", ".cross_attention.value"})
      memory.push_back(linear_named(parameters, layer + side));
  }
  result.memory = PackedLinear(memory);
  if (config.has_final_norm()) {
    result.encoder_norm = norm_named(parameters, "encoder.norm");
    result.decoder_norm = norm_named(parameters, "decoder.norm");
  }
  result.source_embedding = embedding("source_embedding.weight");
  const bool shared = config.tie_embeddings == TieEmbeddings::kAll;
  result.target_embedding = shared ? result.source_embedding : embedding("target_embedding.weight");
  const bool tied = config.tie_embeddings != TieEmbeddings::kNone;
  result.generator = PackedLinear(
      LinearWeights{tied ? result.target_embedding : parameters["generator.weight"], parameters["generator.bias"]});
  return result;
}

}  // namespace gloss
