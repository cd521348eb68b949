#include "explain/residual_stream.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/InferenceMode.h>

#include "explain/number_array.h"
#include "model/layer_norm.h"
#include "model/part.h"
#include "tensor/to_device.h"

namespace gloss {
namespace {

constexpr std::int64_t kLensTokens = 5;

Part layer_of(Part::Side side, std::int64_t layer) {
  return {.kind = Part::Kind::kLayer, .side = side, .layer = layer};
}

/// Returns the last word of a sublayer's name: "self".
std::string last_word(const Part& part) {
  const auto name = part.name();
  return name.substr(name.rfind('.') + 1);
}

at::Tensor norms_of(const at::Tensor& vectors) { return vectors.norm(2, -1); }

/// Returns the cosines [T, T] between vectors [T, D].
at::Tensor cosines_of(const at::Tensor& vectors) {
  const auto directions = vectors / norms_of(vectors).clamp_min(1e-30).unsqueeze(-1);
  return directions.matmul(directions.transpose(0, 1));
}

Json stack_of(const RecordedPass& pass, const ModelConfig& config, Part::Side side, at::Tensor input) {
  const auto layers = side == Part::Side::kEncoder ? config.encoder_layers : config.decoder_layers;
  Json result = Json::array();
  for (std::int64_t i = 0; i < layers; ++i) {
    const auto layer = layer_of(side, i);
    const auto output = pass.outputs.at(layer.site());
    std::vector<std::pair<std::string, at::Tensor>> values{{"input", input}};
    for (const auto& part : sublayers(config, side, i))
      values.emplace_back(last_word(part), pass.outputs.at(part.site()));
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

at::Tensor to_index(std::span<const Id> ids) {
  return to_device(std::vector<std::int64_t>(ids.begin(), ids.end()), at::kCPU);
}

using NamedWeights = torch::OrderedDict<std::string, at::Tensor>;

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
};

/// A norm of the network that is applied to a sum of components.
class ComponentNorm {
 public:
  /// `path` is that of the module. Each type of norm has only some of the weights.
  ComponentNorm(const ModelConfig& config, const NamedWeights& weights, const std::string& path)
      : type_(config.norm_type), epsilon_(config.layer_norm_epsilon) {
    const auto weight = [&](const char* name) {
      const auto* const found = weights.find(path + name);
      return found == nullptr ? at::Tensor() : found->to(at::kCPU);
    };
    gain_ = weight(".weight");
    bias_ = weight(".bias");
    running_mean_ = weight(".running_mean");
    running_variance_ = weight(".running_variance");
  }

  /// Applies the norm to the sum, component by component. Each is multiplied by a factor, and component `shifts` gets
  /// the shift. Mean and variance are those of the sum, or constants with batch norm, so that the norm is linear. A
  /// layer norm also subtracts from each component its own mean.
  void apply(Components& components, std::size_t shifts) const {
    if (type_ == NormType::kNone) return;
    const auto factor = gain_ / (variance(components.sum()) + epsilon_).sqrt();  // [T, D] or [D]
    for (auto& value : components.values)
      value = (type_ == NormType::kLayer ? value - value.mean(-1, true) : value) * factor;
    auto& shifted = components.values[shifts];
    if (type_ == NormType::kBatch) shifted = shifted - running_mean_ * factor;
    if (bias_.defined()) shifted = shifted + bias_;
  }

 private:
  /// Returns the number by whose root the norm divides: [T, 1], or [D] with batch norm.
  at::Tensor variance(const at::Tensor& sum) const {
    if (type_ == NormType::kBatch) return running_variance_;
    const auto centered = type_ == NormType::kLayer ? sum - sum.mean(-1, true) : sum;
    return centered.square().mean(-1, true);
  }

  NormType type_;
  double epsilon_;
  at::Tensor gain_, bias_, running_mean_, running_variance_;  ///< [D] each; undefined if the norm has none
};

/// Returns the components of the decoder's output before the generator. The first one holds the shifts of the norms.
Components components_of(const RecordedPass& pass, const NamedWeights& weights, const ModelConfig& config) {
  Components result;
  constexpr std::size_t kShifts = 0;
  result.add("norm", at::zeros_like(pass.target.tokens));
  result.add("tokens", pass.target.tokens);
  if (config.adds_positions()) result.add("positions", pass.target.positions.expand_as(pass.target.tokens));
  const auto normalize = [&](const std::string& path) { ComponentNorm(config, weights, path).apply(result, kShifts); };
  if (config.embedding_norm) normalize("target_embedding_norm");
  for (std::int64_t i = 0; i < config.decoder_layers; ++i) {
    for (const auto& part : sublayers(config, Part::Side::kDecoder, i)) {
      result.add(part.name(), pass.outputs.at(part.site()));
      if (config.norm == NormPlace::kPost) normalize(part.site() + "_norm");
    }
  }
  if (config.has_final_norm()) normalize("decoder.norm");
  return result;
}

}  // namespace

Json layer_stack(const RecordedPass& pass, const ModelConfig& config) {
  auto result = stack_of(pass, config, Part::Side::kEncoder, pass.input("source"));
  for (auto& layer : stack_of(pass, config, Part::Side::kDecoder, pass.input("target")))
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
  if (!config.is_transformer()) return nullptr;
  const c10::InferenceMode inference;
  std::vector<std::string> states{"embedding"};
  std::vector<at::Tensor> values{pass.input("target")};
  for (std::int64_t i = 0; i < config.decoder_layers; ++i) {
    const auto layer = layer_of(Part::Side::kDecoder, i);
    states.push_back(layer.name());
    values.push_back(pass.outputs.at(layer.site()));
  }
  auto state = at::stack(values);  // [states, T, D]
  if (config.has_final_norm()) {
    const auto norm = model->named_modules()["decoder.norm"];
    state = norm->as<NormImpl>()->forward(state.to(model->device()), Pass{.plain = true});
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
  if (!config.is_transformer() || !config.residual) return nullptr;
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
