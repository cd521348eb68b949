#include "model/inference/inference_layers.h"

#include <span>
#include <utility>

#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include "kernels/kernel_table.h"
#include "model/storage/tensor_names.h"
#include "model/weights.h"

namespace gloss {
namespace {

/// Names of the weight and the bias of a linear map; without a bias it is zero.
struct LinearName {
  std::string weight, bias;
};

LinearName linear_name(const std::string& name) { return {name + ".weight", name + ".bias"}; }

/// Packs the parts of a layer, found by their names, unless they are packed already.
class Source {
 public:
  Source(const WeightSource& source, double epsilon, kernels::Precision precision, PackedTensors& packed)
      : source_(source), epsilon_(epsilon), precision_(precision), packed_(packed) {}

  PackedLinear linear(const std::string& name, std::span<const LinearName> parts) const {
    if (auto found = PackedLinear::find(name, packed_, precision_)) return std::move(*found);
    std::vector<LinearWeights> weights;
    for (const auto& [weight, bias] : parts) {
      auto stored = packed_.contains(weight) ? embedding(weight) : source_(weight);  // a tied matrix is read once
      const auto out = stored.values.size(0);
      weights.push_back({std::move(stored), bias.empty() ? at::zeros({out}) : source_(bias).to_float()});
    }
    PackedLinear made(weights, precision_);
    made.keep(name, packed_);
    return made;
  }
  PackedLinear linear(const std::string& name) const {
    const auto part = linear_name(name);
    return linear(name, {&part, 1});
  }
  InferenceNorm norm(const std::string& name) const {
    return {tensor(name + ".weight"), tensor(name + ".bias"), epsilon_};
  }
  StoredWeight embedding(const std::string& name) const {
    const auto scales = scale_name(name), input_scale = input_scale_name(name);
    if (const auto found = packed_.find(name); found != packed_.end()) {
      StoredWeight weight(found->second, packed_.contains(scales) ? packed_.at(scales) : at::Tensor());
      if (packed_.contains(input_scale)) weight.input_scale = packed_.at(input_scale).item<float>();
      return weight;
    }
    auto weight = source_(name);
    packed_[name] = weight.values;
    if (weight.scales.defined()) packed_[scales] = weight.scales;
    if (weight.input_scale > 0) packed_[input_scale] = at::full({1}, weight.input_scale);
    return weight;
  }

  /// Returns the weight of a product in its precision: an embedding, if it has this precision, otherwise a copy.
  at::Tensor rows(const std::string& name, const std::string& weight) const {
    if (packed_.contains(name)) return packed_.at(name);
    const bool is_embedding = packed_.contains(weight);
    const auto stored = is_embedding ? embedding(weight) : source_(weight);
    auto rows = in_precision(stored, precision_).values.contiguous();
    if (!is_embedding || !rows.is_same(stored.values)) packed_[name] = rows;
    return rows;
  }

 private:
  at::Tensor tensor(const std::string& name) const {
    auto& kept = packed_[name];
    if (!kept.defined()) kept = source_(name).to_float();
    return kept;
  }

  const WeightSource& source_;
  double epsilon_;  // of the norms
  kernels::Precision precision_;
  PackedTensors& packed_;
};

InferenceSelfAttention self_attention_of(const Source& source, const std::string& layer) {
  const auto site = layer + ".self_attention.";
  const LinearName sides[] = {linear_name(site + "key"), linear_name(site + "value")};
  return {source.linear(site + "query"), source.linear(site + "key_value", sides), source.linear(site + "output"),
          source.norm(layer + ".self_attention_norm")};
}

InferenceRecurrence recurrence_of(const Source& source, const std::string& layer) {
  const LinearName maps[] = {{layer + ".recurrence.value.weight", ""}, linear_name(layer + ".recurrence.gate")};
  return {source.linear(layer + ".recurrence", maps), source.norm(layer + ".recurrence_norm")};
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

InferenceWeights inference_weights(const WeightSource& weights, const ModelConfig& config, kernels::Precision precision,
                                   bool lists, PackedTensors& packed) {
  const Source source(weights, config.layer_norm_epsilon, precision, packed);
  InferenceWeights result;
  for (std::int64_t i = 0; i < config.encoder_layers; ++i) {
    const auto layer = "encoder.layers." + std::to_string(i);
    result.encoder.push_back({self_attention_of(source, layer), feed_forward_of(source, layer)});
  }
  std::vector<LinearName> memory;
  for (std::int64_t i = 0; i < config.decoder_layers; ++i) {
    const auto layer = "decoder.layers." + std::to_string(i);
    const bool attends = config.has_decoder_self_attention();
    result.decoder.push_back({attends ? self_attention_of(source, layer) : InferenceSelfAttention(),
                              attends ? InferenceRecurrence() : recurrence_of(source, layer),
                              cross_attention_of(source, layer), feed_forward_of(source, layer)});
    for (const auto* side : {".cross_attention.key", ".cross_attention.value"})
      memory.push_back(linear_name(layer + side));
  }
  result.memory = source.linear("memory", memory);
  if (config.has_final_norm()) {
    result.encoder_norm = source.norm("encoder.norm");
    result.decoder_norm = source.norm("decoder.norm");
  }
  if (config.embedding_norm) {
    result.source_embedding_norm = source.norm("source_embedding_norm");
    result.target_embedding_norm = source.norm("target_embedding_norm");
  }
  result.source_embedding = source.embedding(stored_name(kSourceEmbedding, config.tie_embeddings));
  result.target_embedding = source.embedding(stored_name(kTargetEmbedding, config.tie_embeddings));
  const LinearName generator[] = {{stored_name(kGeneratorMatrix, config.tie_embeddings), "generator.bias"}};
  result.generator = source.linear("generator", generator);
  if (lists) result.generator_rows = source.rows("generator.rows", generator[0].weight);
  return result;
}

std::string packed_key(const std::string& header_sum, kernels::Precision precision, kernels::InstructionSet set) {
  return header_sum + ' ' + std::string(weight_precision_name(precision)) + ' ' + kernels::name_of(set) + ' ' +
         std::to_string(kernels::kPackedLayout);
}

InferenceWeights inference_weights(const LazyModel& model, const ModelConfig& config, kernels::Precision precision) {
  PackedTensors packed;
  const bool lists = model.shortlist != nullptr;
  if (model.header_sum.empty()) return inference_weights(model.weights, config, precision, lists, packed);
  const auto key = packed_key(model.header_sum, precision, kernels::active_instruction_set());
  packed = find_packed(model.cache, key);
  const bool found = !packed.empty();
  auto weights = inference_weights(model.weights, config, precision, lists, packed);
  if (!found) store_packed(model.cache, key, packed);
  return weights;
}

}  // namespace gloss
