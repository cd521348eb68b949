#include "pipeline/validation.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include "model/padding.h"
#include "pipeline/translation_model.h"
#include "training/label_smoothing.h"

namespace gloss {

Validator::Validator(const RunConfig& config, std::shared_ptr<const Tokenizer> source,
                     std::shared_ptr<const Tokenizer> target)
    : config_(config),
      source_tokenizer_(std::move(source)),
      target_tokenizer_(std::move(target)),
      corpus_(ParallelCorpus::read(config.data.valid_source, config.data.valid_target, *source_tokenizer_,
                                   *target_tokenizer_, {.max_length = config.data.max_length})),
      text_(read_test_set(config.data.valid_source, config.data.valid_target)) {}

Validation Validator::operator()(EncoderDecoder& model) const {
  auto greedy = config_.decoding;
  greedy.beam_size = greedy.n_best = 1;
  const auto translator = make_translator(model, config_, source_tokenizer_, target_tokenizer_);
  return {.loss = mean_loss(model), .bleu = evaluate_model(translator, greedy, text_).score};
}

double Validator::mean_loss(EncoderDecoder& model) const {
  const at::NoGradGuard no_grad;
  double sum = 0;
  std::int64_t tokens = 0;
  for (const auto& indices : batches_by_length(corpus_, config_.data.batch_tokens)) {
    const auto loss = batch_loss(model, corpus_.batch(indices), /*label_smoothing=*/0, Pass{});
    sum += loss.nll_sum.item<double>();
    tokens += loss.tokens;
  }
  return sum / static_cast<double>(tokens);
}

}  // namespace gloss
