#include "run/run_forecast.h"

#include <algorithm>
#include <limits>

#include "common/log/log.h"
#include "common/log/progress_line.h"
#include "run/estimate/training_time.h"
#include "run/run_report.h"

namespace gloss {
namespace {

constexpr std::int64_t kShortRun = 100;  // updates that need no forecast
constexpr double kHour = 3600;
constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::max();

}  // namespace

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
