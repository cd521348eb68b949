#include "model/inference/inference_layers.h"

#include <map>
#include <utility>

#include <ATen/ops/zeros.h>

#include "kernels/kernel_table.h"
#include "model/weights.h"

namespace gloss {
namespace {

/// Packs the parts of a layer, found by their names.
class Source {
 public:
  Source(const WeightSource& source, double epsilon, kernels::Precision precision)
      : source_(source), epsilon_(epsilon), precision_(precision) {}

  StoredWeight stored(const std::string& name) const { return source_(name); }
  at::Tensor tensor(const std::string& name) const { return source_(name).to_float(); }
  LinearWeights weights(const std::string& name) const { return {stored(name + ".weight"), tensor(name + ".bias")}; }
  PackedLinear linear(const std::string& name) const { return PackedLinear(weights(name), precision_); }
  PackedLinear linear(std::span<const LinearWeights> parts) const { return PackedLinear(parts, precision_); }
  InferenceNorm norm(const std::string& name) const {
    return {tensor(name + ".weight"), tensor(name + ".bias"), epsilon_};
  }

 private:
  const WeightSource& source_;
  double epsilon_;  // of the norms
  kernels::Precision precision_;
};

InferenceSelfAttention self_attention_of(const Source& source, const std::string& layer) {
  const auto site = layer + ".self_attention.";
  const LinearWeights sides[] = {source.weights(site + "key"), source.weights(site + "value")};
  return {source.linear(site + "query"), source.linear(sides), source.linear(site + "output"),
          source.norm(layer + ".self_attention_norm")};
}

InferenceRecurrence recurrence_of(const Source& source, const std::string& layer) {
  const auto value = source.stored(layer + ".recurrence.value.weight");
  const LinearWeights maps[] = {{value, at::zeros({value.values.size(0)})}, source.weights(layer + ".recurrence.gate")};
  return {source.linear(maps), source.norm(layer + ".recurrence_norm")};
}

InferenceCrossAttention cross_attention_of(const Source& source, const std::string& layer) {
  const auto site = layer + ".cross_attention.";
  return {source.linear(site + "query"), source.linear(site + "output"), source.norm(layer + ".cross_attention_norm")};
}

InferenceFeedForward feed_forward_of(const Source& source, const std::string& layer) {
  return {source.linear(layer + ".feed_forward.inner"), source.linear(layer + ".feed_forward.outer"),
          source.norm(layer + ".feed_forward_norm")};
}

}  // namespace

InferenceNorm::InferenceNorm(at::Tensor weight, at::Tensor bias, double epsilon)
    : weight_(std::move(weight)), bias_(std::move(bias)), epsilon_(static_cast<float>(epsilon)) {}

void InferenceNorm::apply(kernels::Rows x, std::int64_t rows, kernels::MutableRows y) const {
  const kernels::NormWeights weights{weight_.const_data_ptr<float>(), bias_.const_data_ptr<float>(), weight_.size(0),
                                     epsilon_};
  const auto& table = kernels::kernel_table();
  for (std::int64_t row = 0; row < rows; ++row) {
    table.layer_norm(x.data + row * x.stride, weights, y.data + row * y.stride);
  }
}

InferenceWeights inference_weights(const WeightSource& weights, const ModelConfig& config,
                                   kernels::Precision precision) {
  const Source source(weights, config.layer_norm_epsilon, precision);
  InferenceWeights result;
  for (std::int64_t i = 0; i < config.encoder_layers; ++i) {
    const auto layer = "encoder.layers." + std::to_string(i);
    result.encoder.push_back({self_attention_of(source, layer), feed_forward_of(source, layer)});
  }
  std::vector<LinearWeights> memory;
  for (std::int64_t i = 0; i < config.decoder_layers; ++i) {
    const auto layer = "decoder.layers." + std::to_string(i);
    const bool attends = config.has_decoder_self_attention();
    result.decoder.push_back({attends ? self_attention_of(source, layer) : InferenceSelfAttention(),
                              attends ? InferenceRecurrence() : recurrence_of(source, layer),
                              cross_attention_of(source, layer), feed_forward_of(source, layer)});
    for (const auto* side : {".cross_attention.key", ".cross_attention.value"})
      memory.push_back(source.weights(layer + side));
  }
  result.memory = source.linear(memory);
  if (config.has_final_norm()) {
    result.encoder_norm = source.norm("encoder.norm");
    result.decoder_norm = source.norm("decoder.norm");
  }
  if (config.embedding_norm) {
    result.source_embedding_norm = source.norm("source_embedding_norm");
    result.target_embedding_norm = source.norm("target_embedding_norm");
  }
  std::map<std::string, StoredWeight> embeddings;  // by the name in a file: a tied matrix is read once
  const auto embedding = [&](const std::string& name) {
    const auto [found, is_new] = embeddings.try_emplace(stored_name(name, config.tie_embeddings));
    if (is_new) found->second = source.stored(found->first);
    return found->second;
  };
  result.source_embedding = embedding(kSourceEmbedding);
  result.target_embedding = embedding(kTargetEmbedding);
  const LinearWeights generator[] = {{embedding(kGeneratorMatrix), source.tensor("generator.bias")}};
  result.generator = source.linear(generator);
  return result;
}

}  // namespace gloss
