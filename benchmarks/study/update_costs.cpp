#include <algorithm>

#include "benchmarks/study/best_seconds.h"
#include "benchmarks/study/figures.h"
#include "benchmarks/study/random_inputs.h"
#include "benchmarks/study/tensor_memory.h"
#include "model/make_model.h"
#include "model/weights.h"
#include "training/adam.h"
#include "training/update.h"

namespace gloss::study {
namespace {

constexpr std::int64_t kSentenceTokens = 24;

}  // namespace

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
