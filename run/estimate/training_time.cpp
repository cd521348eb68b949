#include "run/estimate/training_time.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <ATen/Parallel.h>

#include "common/log/log.h"
#include "common/log/progress_line.h"
#include "common/random.h"
#include "common/system/stop.h"
#include "run/estimate/text_lengths.h"
#include "tensor/out_of_memory.h"
#include "tensor/runtime.h"
#include "tensor/workers.h"
#include "training/shard_passes.h"

namespace gloss {
namespace {

constexpr double kTimedOperations = 3e11;  // per pass: some seconds of one processor
// For each weight and token: forward and backward passes, encoder and decoder.
constexpr double kOperationsPerWeight = 12;
constexpr std::int64_t kMinPositions = 256;
constexpr std::int64_t kMaxSample = 20'000;  // pairs
constexpr double kMinSeconds = 0.4;
constexpr int kMinPasses = 2;

std::int64_t longer_side(const ParallelCorpus& corpus, std::int64_t pair) {
  return std::max(corpus.source_length(pair), corpus.target_length(pair));
}

/// Returns pairs of middle length whose padded positions are at most `max_positions`; at least one pair.
std::vector<std::int64_t> middle_batch(const ParallelCorpus& corpus, std::int64_t max_positions) {
  std::vector<std::pair<std::int64_t, std::int64_t>> sample;  // length, pair
  const auto count = std::min(corpus.size(), kMaxSample);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto pair = i * corpus.size() / count;
    sample.emplace_back(longer_side(corpus, pair), pair);
  }
  std::ranges::sort(sample);
  std::vector<std::int64_t> batch;
  for (auto i = sample.size() / 2; i < sample.size(); ++i) {
    if (!batch.empty() && sample[i].first * (std::ssize(batch) + 1) > max_positions) break;
    batch.push_back(sample[i].second);
  }
  return batch;
}

std::int64_t padded_positions(const ParallelCorpus& corpus, const std::vector<std::int64_t>& pairs) {
  std::int64_t max_length = 0;
  for (const auto pair : pairs) max_length = std::max(max_length, longer_side(corpus, pair));
  return max_length * std::ssize(pairs);
}

double seconds_of_pass(EncoderDecoder& model, const Batch& batch, const RunConfig& config) {
  using Clock = std::chrono::steady_clock;
  std::vector<at::Tensor> trained;
  for (const auto& parameter : model->parameters())
    if (parameter.requires_grad()) trained.push_back(parameter);
  Workers workers(at::get_num_threads());
  const auto pass = [&] {
    stop_where_requested();
    const auto begin = Clock::now();
    const auto sums = sum_over_shards(model, trained, workers, {&batch, 1}, RandomStream(1, "training time"),
                                      {.label_smoothing = config.training.label_smoothing,
                                       .precision = config.training.precision,
                                       .shards = config.training.shards,
                                       .int8 = config.training.quantize,
                                       .plain = config.plain});
    static_cast<void>(sums.nll.item<double>());  // waits for a GPU
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  pass();  // the first pass takes longer
  double seconds = 0;
  int passes = 0;
  for (; passes < kMinPasses || seconds < kMinSeconds; ++passes) seconds += pass();
  return seconds / passes;
}

constexpr std::int64_t kShortRun = 100;  // updates that need no forecast
constexpr double kHour = 3600;
constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::max();

}  // namespace

std::optional<double> estimate_epoch_seconds(EncoderDecoder& model, const ParallelCorpus& corpus,
                                             const RunConfig& config) {
  double parameters = 0;
  for (const auto& parameter : model->parameters()) parameters += static_cast<double>(parameter.numel());
  const auto affordable = static_cast<std::int64_t>(kTimedOperations / kOperationsPerWeight / parameters);
  const auto pairs = middle_batch(corpus, std::min(config.data.batch_tokens, std::max(affordable, kMinPositions)));
  double positions = 0;
  for (std::int64_t pair = 0; pair < corpus.size(); ++pair) positions += static_cast<double>(longer_side(corpus, pair));
  std::optional<double> seconds;
  try {
    seconds = seconds_of_pass(model, corpus.batch(pairs), config);
  } catch (...) {
    if (!is_out_of_memory()) throw;  // an update would split its batch; the trial only has no result
  }
  give_back_memory();
  if (!seconds) return std::nullopt;
  return *seconds * positions / static_cast<double>(padded_positions(corpus, pairs)) * growth_by_sampling(config);
}

double share_of_time(std::int64_t shards, const ProcessCounts& counts) {
  if (counts.processes == 1) return 1;
  constexpr double kEfficiency = 0.8;  // measured: docs/scaling.md
  const auto parts = [](std::int64_t whole, std::int64_t of) { return static_cast<double>((whole + of - 1) / of); };
  const auto shards_in_turn = [&](std::int64_t own) { return parts(own, counts.threads); };
  const auto own = (shards + counts.processes - 1) / counts.processes;
  const auto crowd = [&](std::int64_t processes) {  // threads that share a processor
    return std::max(1.0, static_cast<double>(processes * counts.threads) / static_cast<double>(counts.processors));
  };
  return shards_in_turn(own) / shards_in_turn(shards) * crowd(counts.on_machine) / crowd(1) / kEfficiency;
}

RunForecast::RunForecast(const RunConfig& config, const Vocabularies& vocabularies, const ParallelCorpus& corpus,
                         const BatchStream& batches, EncoderDecoder& model, double share_of_time)
    : config_(&config), length_(run_length(config.training, batches.expected_epochs(0, kNoEnd))) {
  length_.tokens = count_tokens(corpus);
  warnings_ = warnings_of(config, length_, pieces_of(config, vocabularies));
  if (!length_.updates || *length_.updates > kShortRun) epoch_seconds_ = estimate_epoch_seconds(model, corpus, config);
  if (epoch_seconds_) *epoch_seconds_ *= batches.share_of_corpus() * share_of_time;
}

void RunForecast::report(const TrainingState& state) const {
  for (const auto& warning : warnings_) log_warning(warning);
  log_info(peak_text(*config_, length_));
  if (!epoch_seconds_) return;
  double seconds = std::numeric_limits<double>::infinity();
  if (length_.updates)
    seconds = *epoch_seconds_ * static_cast<double>(*length_.updates - state.step) /
              static_cast<double>(length_.updates_per_epoch);
  if (config_->training.max_hours) seconds = std::min(seconds, *config_->training.max_hours * kHour - state.seconds);
  if (seconds > 0) log_info("training will take about " + duration_text(seconds));
}

}  // namespace gloss
