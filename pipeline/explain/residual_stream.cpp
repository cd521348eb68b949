#include "pipeline/explain/residual_stream.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/InferenceMode.h>

#include "model/layer_norm.h"
#include "model/part.h"
#include "pipeline/explain/number_array.h"
#include "tensor/to_device.h"

namespace gloss {
namespace {

constexpr std::int64_t kLensTokens = 5;

Part sublayer_of(Part::Side side, std::int64_t layer, Part::Sublayer sublayer) {
  return {.kind = Part::Kind::kSublayer, .side = side, .layer = layer, .sublayer = sublayer};
}
Part layer_of(Part::Side side, std::int64_t layer) {
  return {.kind = Part::Kind::kLayer, .side = side, .layer = layer};
}

/// The sublayers of a layer in the order of the network.
std::vector<Part::Sublayer> sublayers_of(Part::Side side) {
  if (side == Part::Side::kEncoder) return {Part::Sublayer::kSelf, Part::Sublayer::kFeedForward};
  return {Part::Sublayer::kSelf, Part::Sublayer::kCross, Part::Sublayer::kFeedForward};
}

/// The last word of a sublayer's name: "self".
std::string last_word(const Part& part) {
  const auto name = part.name();
  return name.substr(name.rfind('.') + 1);
}

at::Tensor norms_of(const at::Tensor& vectors) { return vectors.norm(2, -1); }

/// Cosines [T, T] between vectors [T, D].
at::Tensor cosines_of(const at::Tensor& vectors) {
  const auto directions = vectors / norms_of(vectors).clamp_min(1e-30).unsqueeze(-1);
  return directions.matmul(directions.transpose(0, 1));
}

Json stack_of(const RecordedPass& pass, Part::Side side, std::int64_t layers, at::Tensor input) {
  Json result = Json::array();
  for (std::int64_t i = 0; i < layers; ++i) {
    const auto layer = layer_of(side, i);
    const auto output = pass.outputs.at(layer.site());
    std::vector<std::pair<std::string, at::Tensor>> values{{"input", input}};
    for (const auto sublayer : sublayers_of(side)) {
      const auto part = sublayer_of(side, i, sublayer);
      values.emplace_back(last_word(part), pass.outputs.at(part.site()));
    }
    values.emplace_back("output", output);
    Json vectors, norms;
    for (const auto& [name, value] : values) {
      vectors[name] = number_array(value);
      norms[name] = number_array(norms_of(value));
    }
    result.push_back({{"part", layer.name()},
                      {"vectors", std::move(vectors)},
                      {"norms", std::move(norms)},
                      {"similarity", number_array(cosines_of(output))}});
    input = output;
  }
  return result;
}

/// Gain and shift [D] of a layer norm, by the path of its module.
struct NormWeights {
  at::Tensor gain, shift;
};
using NamedWeights = torch::OrderedDict<std::string, at::Tensor>;
NormWeights norm_weights(const NamedWeights& weights, const std::string& path) {
  return {weights[path + ".weight"].to(at::kCPU), weights[path + ".bias"].to(at::kCPU)};
}

at::Tensor to_index(std::span<const Id> ids) {
  return to_device(std::vector<std::int64_t>(ids.begin(), ids.end()), at::kCPU);
}

/// A vector for each position as the sum of named components [T, D].
struct Components {
  std::vector<std::string> names;
  std::vector<at::Tensor> values;

  void add(std::string name, at::Tensor value) {
    names.push_back(std::move(name));
    values.push_back(std::move(value));
  }
  at::Tensor sum() const {
    auto total = at::zeros_like(values.front());
    for (const auto& value : values) total = total + value;
    return total;
  }
  /// Applies the layer norm to the sum, in components: its gain to each, its shift to the component "norm".
  void normalize(const NormWeights& norm, std::size_t shifts) {
    const auto total = sum();
    const auto variance = (total - total.mean(-1, true)).square().mean(-1, true);  // [T, 1]
    const auto factor = norm.gain / (variance + LayerNormImpl::kEpsilon).sqrt();   // [T, D]
    for (auto& value : values) value = (value - value.mean(-1, true)) * factor;
    values[shifts] = values[shifts] + norm.shift;
  }
};

/// The decoder's output before the generator, in components.
Components components_of(const RecordedPass& pass, const NamedWeights& weights, const ModelConfig& config) {
  Components result;
  result.add("norm", at::zeros_like(pass.target.tokens));
  constexpr std::size_t kShifts = 0;
  result.add("tokens", pass.target.tokens);
  result.add("positions", pass.target.positions.expand_as(pass.target.tokens));
  for (std::int64_t i = 0; i < config.decoder_layers; ++i) {
    for (const auto sublayer : sublayers_of(Part::Side::kDecoder)) {
      const auto part = sublayer_of(Part::Side::kDecoder, i, sublayer);
      result.add(part.name(), pass.outputs.at(part.site()));
      if (config.norm == NormPlace::kPost) result.normalize(norm_weights(weights, part.site() + "_norm"), kShifts);
    }
  }
  if (config.has_final_norm()) result.normalize(norm_weights(weights, "decoder.norm"), kShifts);
  return result;
}

}  // namespace

Json layer_stack(const RecordedPass& pass, const ModelConfig& config) {
  auto result = stack_of(pass, Part::Side::kEncoder, config.encoder_layers, pass.source.sum());
  for (auto& layer : stack_of(pass, Part::Side::kDecoder, config.decoder_layers, pass.target.sum()))
    result.push_back(std::move(layer));
  return result;
}

Json embeddings_of(const RecordedPass& pass) {
  const auto side = [](const RecordedPass::Embedding& embedding) {
    return Json{{"tokens", number_array(embedding.tokens)},
                {"positions", number_array(embedding.positions)},
                {"sum", number_array(embedding.sum())}};
  };
  return {{"source", side(pass.source)}, {"target", side(pass.target)}};
}

Json logit_lens(const RecordedPass& pass, EncoderDecoder model, const ModelConfig& config, std::span<const Id> target,
                const Tokenizer& tokenizer) {
  const c10::InferenceMode inference;
  std::vector<std::string> states{"embedding"};
  std::vector<at::Tensor> values{pass.target.sum()};
  for (std::int64_t i = 0; i < config.decoder_layers; ++i) {
    const auto layer = layer_of(Part::Side::kDecoder, i);
    states.push_back(layer.name());
    values.push_back(pass.outputs.at(layer.site()));
  }
  auto state = at::stack(values);  // [states, T, D]
  if (config.has_final_norm()) {
    const auto norm = model->named_modules()["decoder.norm"];
    state = norm->as<LayerNormImpl>()->forward(state.to(model->device()), Pass{.plain = true});
  }
  const auto log_p = model->generator()->forward(state.to(model->device())).to(at::kCPU);  // [states, T, V]
  const auto index = to_index(target).view({1, -1, 1}).expand({log_p.size(0), log_p.size(1), 1});
  const auto chosen = log_p.gather(-1, index);     // [states, T, 1]
  const auto rank = (log_p > chosen).sum(-1) + 1;  // [states, T]
  const auto count = std::min(kLensTokens, log_p.size(-1));
  const auto [top, ids] = log_p.topk(count, -1);  // [states, T, count]
  Json tops = Json::array();
  for (std::int64_t s = 0; s < log_p.size(0); ++s) {
    auto& of_state = tops.emplace_back(Json::array());
    for (std::int64_t t = 0; t < log_p.size(1); ++t) {
      auto& tokens = of_state.emplace_back(Json::array());
      for (std::int64_t k = 0; k < count; ++k) {
        const auto id = static_cast<Id>(ids[s][t][k].item<std::int64_t>());
        tokens.push_back(
            {{"id", id}, {"piece", tokenizer.piece(id)}, {"p", shortest(top[s][t][k].exp().item<float>())}});
      }
    }
  }
  return {
      {"states", states}, {"chosen", number_array(chosen.squeeze(-1))}, {"rank", number_array(rank)}, {"top", tops}};
}

Json logit_contributions(const RecordedPass& pass, EncoderDecoder model, const ModelConfig& config,
                         std::span<const Id> target) {
  const c10::InferenceMode inference;
  auto components = components_of(pass, model->named_parameters(), config);
  const auto index = to_index(target);
  const auto rows = model->generator()->weight().to(at::kCPU).index_select(0, index);  // [T, D]
  std::vector<at::Tensor> values;
  for (const auto& component : components.values) values.push_back((component * rows).sum(-1));  // [T]
  components.names.push_back("bias");
  values.push_back(model->generator()->bias().to(at::kCPU).index_select(0, index));
  // The shifts of the norms belong at the end, where the last norm is.
  std::rotate(components.names.begin(), components.names.begin() + 1, components.names.end() - 1);
  std::rotate(values.begin(), values.begin() + 1, values.end() - 1);
  return {{"parts", components.names},
          {"values", number_array(at::stack(values))},
          {"logits", number_array(pass.logits.gather(-1, index.unsqueeze(-1)).squeeze(-1))}};
}

}  // namespace gloss
