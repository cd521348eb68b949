#include <functional>
#include <string>
#include <utility>

#include <ATen/Functions.h>

#include "benchmarks/study/best_seconds.h"
#include "benchmarks/study/figures.h"
#include "benchmarks/study/random_inputs.h"
#include "benchmarks/study/tensor_memory.h"
#include "model/attention.h"
#include "model/make_model.h"
#include "model/weights.h"

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

}  // namespace gloss::study
