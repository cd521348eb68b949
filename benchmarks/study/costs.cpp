#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include "benchmarks/study/figures.h"
#include "benchmarks/study/measuring.h"
#include "model/attention.h"
#include "model/make_model.h"
#include "model/weights.h"
#include "training/adam.h"
#include "training/update.h"

namespace gloss::study {
namespace {

using Work = std::function<void()>;

Json cost_of(const Work& work, std::int64_t repeat) {
  const double seconds = best_seconds(repeat, work);
  const TensorMemory memory;
  work();
  return {{"seconds", seconds}, {"bytes", memory.peak()}};
}

Work attention_work(const ModelConfig& config, std::int64_t length) {
  const std::vector<std::int64_t> shape = {1, config.heads, length, config.d_model / config.heads};
  std::vector<at::Tensor> inputs;
  for (const auto* name : {"query", "key", "value"}) inputs.push_back(random_normal(shape, name).requires_grad_());
  return [inputs]() mutable {
    const Pass pass{.plain = true};
    attention(inputs[0], inputs[1], inputs[2], Mask::unmasked(), {.pass = pass, .site = "study"}).sum().backward();
    for (auto& input : inputs) input.mutable_grad().reset();
  };
}

Work feed_forward_work(const ModelConfig& config, std::int64_t length) {
  FeedForward feed_forward = make_feed_forward(config, config.d_ff);
  initialize(*feed_forward, RandomStream(1, "weights"));
  return [feed_forward, x = random_normal({1, length, config.d_model}, "x").requires_grad_()]() mutable {
    feed_forward(x, Pass{.plain = true}).sum().backward();
    feed_forward->zero_grad();
    x.mutable_grad().reset();
  };
}

Work encoder_work(const ModelConfig& config, std::int64_t length) {
  auto model = make_model(config, {kVocabulary, kVocabulary}, RandomStream(1, "weights"));
  const auto sentences = random_sentences(1, length, kVocabulary, "source");
  return [model, source = pad(sentences, at::kCPU)]() mutable {
    model->encode(source, Pass{.plain = true}).sum().backward();
    model->zero_grad();
  };
}

constexpr std::int64_t kSourceLength = 24;

/// One sentence that is ready to be decoded.
struct Decoded {
  EncoderDecoder model;
  at::Tensor memory;  ///< [1, S, D]
  Mask mask;
  Pass pass;

  /// The likeliest token that is a piece, after the output x [1, D]. No search ends early, so that every target has the
  /// wanted length.
  Id next_piece(const at::Tensor& x) const {
    const auto pieces = model->generator()->logits(x).narrow(-1, kSpecialIds, kVocabulary - kSpecialIds);
    return static_cast<Id>(kSpecialIds + pieces.argmax(-1).item<std::int64_t>());
  }

  /// The decoder's output [1, T, D] for all of `target` at once.
  at::Tensor parallel(const Ids& target) {
    return model->decode(pad(std::vector<Ids>{target}, at::kCPU), memory, mask, pass);
  }

  /// Greedy search with the cache. `outputs` gets the output [1, D] of each step.
  Ids cached(std::int64_t length, std::vector<at::Tensor>* outputs = nullptr) {
    Ids target{kBos};
    auto cache = model->start(memory, mask, pass);
    for (std::int64_t t = 0; t < length; ++t) {
      const auto output = model->step(at::full({1, 1}, target.back(), at::kLong), cache, pass);
      if (outputs != nullptr) outputs->push_back(output);
      target.push_back(next_piece(output));
    }
    return target;
  }

  /// Greedy search that computes all earlier positions again at each step.
  Ids uncached(std::int64_t length) {
    Ids target{kBos};
    for (std::int64_t t = 0; t < length; ++t) target.push_back(next_piece(parallel(target).select(1, -1)));
    return target;
  }
};

constexpr std::int64_t kSentenceTokens = 24;

}  // namespace

Json length_costs(const ModelConfig& config, const std::vector<std::int64_t>& lengths, std::int64_t repeat) {
  Json rows = Json::array();
  for (const auto length : lengths)
    rows.push_back({{"length", length},
                    {"attention", cost_of(attention_work(config, length), repeat)},
                    {"feed_forward", cost_of(feed_forward_work(config, length), repeat)},
                    {"encoder", cost_of(encoder_work(config, length), repeat)}});
  return {{"rows", rows}};
}

Json decoding_costs(const ModelConfig& config, const std::vector<std::int64_t>& lengths, std::int64_t repeat) {
  const at::NoGradGuard no_grad;
  auto model = make_model(config, {kVocabulary, kVocabulary}, RandomStream(1, "weights"));
  const auto source = pad(random_sentences(1, kSourceLength, kVocabulary, "source"), at::kCPU);
  const Pass pass{.plain = true};
  Decoded sentence{
      .model = model, .memory = model->encode(source, pass), .mask = Mask::padding(source.lengths), .pass = pass};

  Json rows = Json::array();
  for (const auto length : lengths) {
    std::vector<at::Tensor> outputs;
    const auto target = sentence.cached(length, &outputs);
    const Ids input(target.begin(), target.end() - 1);
    const auto difference = (at::stack(outputs, 1) - sentence.parallel(input)).abs().max().item<double>();
    rows.push_back({{"length", length},
                    {"equal", sentence.uncached(length) == target},
                    {"difference", difference},
                    {"parallel_seconds", best_seconds(repeat, [&] { sentence.parallel(input); })},
                    {"cached_seconds", best_seconds(repeat, [&] { sentence.cached(length); })},
                    {"uncached_seconds", best_seconds(repeat, [&] { sentence.uncached(length); })}});
  }
  return {{"rows", rows}};
}

Json update_costs(const ModelConfig& config, std::int64_t batch_tokens, std::int64_t updates) {
  const auto count = std::max<std::int64_t>(1, batch_tokens / kSentenceTokens);
  const std::vector<Batch> batches = {{.source = random_sentences(count, kSentenceTokens, kVocabulary, "source"),
                                       .target = random_sentences(count, kSentenceTokens, kVocabulary, "target")}};
  auto model = make_model(config, {kVocabulary, kVocabulary}, RandomStream(1, "weights"));
  Adam adam(named_parameters(model), TrainingConfig{});
  Workers workers(1);
  std::int64_t step = 0;
  const auto update = [&](bool plain) {
    update_weights(model, adam, workers, batches, RandomStream(1, "dropout"),
                   {.step = ++step, .learning_rate = 1e-4, .label_smoothing = 0.1, .plain = plain});
  };
  const auto tokens = static_cast<double>(batches.front().target_tokens());
  const double fast = best_seconds(updates, [&] { update(false); });
  const double plain = best_seconds(updates, [&] { update(true); });
  const TensorMemory memory;
  update(true);
  return {{"tokens_per_second", tokens / fast},
          {"plain_tokens_per_second", tokens / plain},
          {"plain_bytes", memory.peak()},
          {"parameters", count_parameters(config, {kVocabulary, kVocabulary})}};
}

}  // namespace gloss::study
