#include "explain/attention_maps.h"

#include <cstdint>
#include <utility>
#include <vector>

#include <ATen/TensorOperators.h>
#include <c10/core/InferenceMode.h>

#include "explain/number_array.h"
#include "model/mask.h"
#include "model/part.h"

namespace gloss {
namespace {

/// Returns the norms [H, S] of the values of each head, multiplied by the head's columns of the output map W^O [D, D].
at::Tensor norms_of_values(const at::Tensor& value, const at::Tensor& output_weight) {
  const auto H = value.size(0), d_k = value.size(2), D = output_weight.size(0);
  const auto maps = output_weight.view({D, H, d_k}).permute({1, 2, 0});  // [H, d_k, D]
  return value.matmul(maps).norm(2, -1);                                 // [H, S, D] to [H, S]
}

/// Returns the entropy [H] of the rows of weights [H, T, S], the mean over the rows; 0 log 0 is 0.
at::Tensor entropy_of(const at::Tensor& weights) {
  const auto terms = weights * weights.clamp_min(1e-38).log();
  return -terms.sum(-1).mean(-1);
}

/// Returns a map with the given `weights` and without norms. The entropy is that of the exact weights.
Json attention_map(const RecordedPass::Attention& attention, const at::Tensor& weights, const Part& part) {
  return {{"part", part.name()},
          {"side", part.side == Part::Side::kEncoder ? "encoder" : "decoder"},
          {"layer", part.layer},
          {"kind", part.sublayer == Part::Sublayer::kCross ? "cross" : "self"},
          {"weights", number_array(weights)},
          {"entropy", number_array(entropy_of(attention.weights))}};
}

/// Returns a mask as an array of 0 and 1, [T, S]. If it `reads_source`, the keys of hidden source pieces are 0.
Json mask_array(const Mask& mask, std::int64_t T, std::int64_t S, const std::vector<Removal>& removed,
                bool reads_source) {
  auto visible = mask.visible(T, S, at::kCPU).expand({1, 1, T, S}).select(0, 0).select(0, 0).to(at::kFloat);
  visible = visible.contiguous().clone();
  for (const auto& [part, first, last] : removed)
    if (!part && reads_source) visible.narrow(1, first, last - first).zero_();
  return number_array(visible);
}

}  // namespace

Json attention_maps(const RecordedPass& pass, EncoderDecoder model, const ModelConfig& config) {
  const c10::InferenceMode inference;
  const auto parameters = model->named_parameters();
  Json result = Json::array();
  for (const auto& part : attention_sublayers(config)) {
    const auto& attention = pass.attention.at(part.site());
    const auto output_weight = parameters[part.site() + ".output.weight"].to(at::kCPU);
    auto map = attention_map(attention, attention.weights, part);
    map["norms"] = number_array(attention.weights * norms_of_values(attention.value, output_weight).unsqueeze(1));
    result.push_back(std::move(map));
  }
  return result;
}

Json rounded_attention_maps(const RecordedPass& pass, const ModelConfig& config) {
  Json result = Json::array();
  for (const auto& part : attention_sublayers(config)) {
    const auto& attention = pass.attention.at(part.site());
    result.push_back(attention_map(attention, attention.weights.round(/*decimals=*/3), part));
  }
  return result;
}

Json masks_of(std::int64_t source_length, std::int64_t target_length, const ModelConfig& config,
              const std::vector<Removal>& removed) {
  const auto S = source_length, T = target_length;
  const auto padding = Mask::padding({S});
  const auto of_encoder = config.encoder_mask == EncoderMask::kCausal ? padding.as_causal() : padding;
  Json result = Json::array();
  const auto add = [&](const char* name, const Mask& mask, std::int64_t queries, std::int64_t keys, bool reads_source) {
    result.push_back({{"name", name}, {"visible", mask_array(mask, queries, keys, removed, reads_source)}});
  };
  if (config.is_transformer()) {
    add("encoder.self", of_encoder, S, S, true);
    if (config.has_decoder_self_attention()) add("decoder.self", Mask::causal(), T, T, false);
  }
  if (config.has_cross_attention()) add("decoder.cross", padding, T, S, true);
  return result;
}

}  // namespace gloss
