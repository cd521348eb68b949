#include <cmath>
#include <string>

#include <ATen/TensorOperators.h>

#include "benchmarks/study/figures.h"
#include "benchmarks/study/measuring.h"
#include "model/make_model.h"
#include "training/adam.h"
#include "training/batch_loss.h"

namespace gloss::study {
namespace {

constexpr std::int64_t kSentences = 8, kTokens = 12;

/// Norms of the gradients of the layers `prefix`0, `prefix`1, and so on.
Json layer_norms(const EncoderDecoder& model, const std::string& prefix, std::int64_t layers) {
  Json norms = Json::array();
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    const auto begin = prefix + std::to_string(layer) + '.';
    double squares = 0;
    for (const auto& [name, parameter] : named_parameters(model))
      if (name.starts_with(begin) && parameter.grad().defined())
        squares += parameter.grad().to(at::kDouble).square().sum().item<double>();
    norms.push_back(std::sqrt(squares));
  }
  return norms;
}

}  // namespace

Json gradient_norms(ModelConfig config, const std::vector<std::int64_t>& depths) {
  const Batch batch{.source = random_sentences(kSentences, kTokens, kVocabulary, "source"),
                    .target = random_sentences(kSentences, kTokens, kVocabulary, "target")};
  Json rows = Json::array();
  for (const auto depth : depths) {
    config.encoder_layers = config.decoder_layers = depth;
    auto model = make_model(config, {kVocabulary, kVocabulary}, RandomStream(1, "weights"));
    const auto loss = batch_loss(model, batch, 0.1, Pass{.plain = true});
    (loss.smoothed_sum / static_cast<double>(loss.tokens)).backward();
    rows.push_back({{"depth", depth},
                    {"encoder", layer_norms(model, "encoder.layers.", depth)},
                    {"decoder", layer_norms(model, "decoder.layers.", depth)}});
  }
  return {{"rows", rows}};
}

}  // namespace gloss::study
