#include "run/estimate/run_length.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/text/format.h"
#include "data/batch.h"
#include "training/schedule.h"
#include "training/training_plan.h"

namespace gloss {
namespace {

constexpr std::int64_t kMinUpdates = 1'000;
constexpr std::int64_t kAnyLength = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kTrialUpdates = 100;
constexpr std::int64_t kMinWarmupsPerRun = 2, kUsualWarmupsPerRun = 4;
constexpr double kMinPeak = 1e-6, kMaxPeak = 0.02;  // of the learning rate
constexpr double kMinTokensPerPiece = 5, kUsualTokensPerPiece = 20;

/// Returns the number of epochs before the last stage.
std::int64_t begin_of_last_stage(const DataConfig& data) {
  std::int64_t epochs = 0;
  for (const auto& stage : data.stages) epochs += stage.until_epochs.value_or(0);
  return epochs;
}

/// Returns the highest learning rate of a run of `updates` updates.
double peak_of(const RunConfig& config, std::int64_t updates = kAnyLength) {
  return learning_rate(config.training, config.model.d_model, peak_step(config.training, updates));
}

bool is_trial(const TrainingConfig& training) { return training.max_steps && *training.max_steps <= kTrialUpdates; }

}  // namespace

RunLength run_length(const TrainingConfig& config, std::span<const EpochsOfStage> stages) {
  RunLength length{updates_of(config, stages.front().batches)};
  const auto steps = config.step_limit();
  const bool has_steps = config.max_steps || (!config.max_epochs && !config.max_hours);
  if (has_steps) length.updates = steps;
  if (config.max_epochs) {
    std::vector<EpochsOfStage> run;
    auto left = *config.max_epochs;
    for (const auto& [epochs, batches] : stages) {
      const auto last = run.size() + 1 == stages.size();
      run.push_back({last ? left : std::min(epochs, left), batches});
      left -= run.back().epochs;
    }
    length.updates = updates_of(config, run, steps).value_or(steps);
  }
  return length;
}

RunLength estimate_run_length(const RunConfig& config, const TextLengths& text) {
  std::vector<double> batches;  // of each text
  double tokens = 0;
  for (const auto& [pairs, texts_per_sample] : text.training) {
    batches.push_back(texts_per_sample *
                      static_cast<double>(batches_by_length(pairs, config.data.batch_tokens).size()));
    for (const auto& [source, target] : pairs) tokens += texts_per_sample * static_cast<double>(source + target);
  }
  const auto planned = config.data.training_stages();
  if (tokens == 0 || planned.empty()) return {};
  const auto texts = texts_of(planned);
  std::vector<EpochsOfStage> stages;
  for (std::size_t i = 0; i < planned.size(); ++i) {
    double an_epoch = 0;
    for (std::size_t j = 0; j < planned[i].sources.size(); ++j)
      an_epoch += planned[i].sources[j].weight * batches.at(texts.of_stage[i][j]);
    stages.push_back({planned[i].until_epochs.value_or(0), std::max(std::llround(std::ceil(an_epoch)), 1LL)});
  }
  auto length = run_length(config.training, stages);
  length.tokens = tokens;
  return length;
}

double count_tokens(const ParallelCorpus& corpus) {
  double tokens = 0;
  for (std::int64_t i = 0; i < corpus.size(); ++i)
    tokens += static_cast<double>(corpus.source_length(i) + corpus.target_length(i));
  return tokens;
}

std::int64_t pieces_of(const RunConfig& config, const Vocabularies& vocabularies) {
  const bool is_one_table = config.tokenizer.joint || config.tokenizer.shared_ids;
  return is_one_table ? vocabularies.source : vocabularies.source + vocabularies.target;
}

std::vector<std::string> warnings_of(const RunConfig& config, const RunLength& length, std::int64_t pieces) {
  const auto& training = config.training;
  std::vector<std::string> warnings;
  if (length.updates_per_epoch == 0 || length.updates == 0) return warnings;
  if (const double peak = peak_of(config); peak < kMinPeak || peak > kMaxPeak)
    warnings.push_back(
        formatted("training.learning_rate: the learning rate peaks at %.3g, too %s to train with; wanted "
                  "a peak from %g to %g",
                  peak, peak < kMinPeak ? "low" : "high", kMinPeak, kMaxPeak) +
        (training.schedule == ScheduleKind::kNoam ? "; for training.schedule noam the key is a factor, usually 1"
                                                  : "; 0.0001 to 0.005 are usual"));
  if (is_trial(training)) return warnings;
  const bool is_second = !training.start_from.empty();
  if (length.updates) {
    const auto updates = *length.updates;
    const auto has_updates = "the run has " + counted(updates, "update");
    if (training.schedule != ScheduleKind::kConstant && training.warmup_steps > updates / kMinWarmupsPerRun)
      warnings.push_back("training.warmup_steps: " + std::to_string(training.warmup_steps) +
                         " are more than half of the " + std::to_string(updates) +
                         " updates of the run, so the learning rate is hardly ever at its height; lower it to " +
                         std::to_string(std::max<std::int64_t>(updates / kUsualWarmupsPerRun, 1)) + " or train longer");
    if (updates < kMinUpdates && !is_second)
      warnings.push_back(has_updates + "; a translator needs some thousands; bring more text, raise training." +
                         (training.max_epochs ? "max_epochs" : "max_steps") + " or lower data.batch_tokens");
  }
  if (const auto begin = begin_of_last_stage(config.data); training.max_epochs && begin >= *training.max_epochs)
    warnings.push_back("data.stages: the run ends after " + counted(*training.max_epochs, "epoch") +
                       ", before its last stage begins; raise training.max_epochs to more than " +
                       std::to_string(begin));
  const bool chooses_size = config.trains_tokenizer() && config.tokenizer.type != TokenizerType::kChar;
  if (length.tokens > 0 && chooses_size && length.tokens < kMinTokensPerPiece * static_cast<double>(pieces))
    warnings.push_back(
        "tokenizer.vocabulary_size: the text has " + std::to_string(static_cast<std::int64_t>(length.tokens)) +
        " tokens for " + std::to_string(pieces) + " pieces, most of which are too rare to be learned; some " +
        std::to_string(static_cast<std::int64_t>(length.tokens / kUsualTokensPerPiece)) + " pieces suit it");
  return warnings;
}

std::string peak_text(const RunConfig& config, const RunLength& length) {
  const auto updates = std::max<std::int64_t>(length.updates.value_or(kAnyLength), 1);
  const bool is_constant = config.training.schedule == ScheduleKind::kConstant;
  return formatted("the learning rate %s %.3g", is_constant ? "is" : "peaks at", peak_of(config, updates)) +
         (is_constant ? "" : ", at update " + std::to_string(peak_step(config.training, updates)));
}

std::string updates_text(const RunLength& length) {
  return "about " + std::to_string(length.updates_per_epoch) + " in an epoch" +
         (length.updates ? ", " + std::to_string(*length.updates) + " in the run" : "");
}

Json to_json(const RunLength& length) {
  return {{"updates_per_epoch", length.updates_per_epoch},
          {"updates", length.updates ? Json(*length.updates) : Json()}};
}

}  // namespace gloss
