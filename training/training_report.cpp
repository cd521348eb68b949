#include "training/training_report.h"

namespace gloss {
namespace {

/// Decay of the averages of the latest updates: about 20 updates count.
constexpr double kWeightOfEarlier = 0.95;

std::int64_t epoch_of(const TrainingState& state) { return state.position.epoch + (state.position.batch > 0 ? 1 : 0); }

}  // namespace

void TrainingMeter::add(const UpdateResult& update, double seconds) {
  ++steps_;
  since_report_.seconds += seconds;
  since_report_.tokens += update.tokens;
  since_report_.gradient_norm = update.gradient_norm;
  latest_.nll = kWeightOfEarlier * latest_.nll + update.nll_sum;
  latest_.tokens = kWeightOfEarlier * latest_.tokens + static_cast<double>(update.tokens);
  latest_.seconds = kWeightOfEarlier * latest_.seconds + seconds;
}

TrainingProgress TrainingMeter::progress(const TrainingState& state, std::int64_t last_step) const {
  TrainingProgress progress{.step = state.step,
                            .last_step = last_step,
                            .seconds_left = seconds_left(state.step, last_step),
                            .epoch = epoch_of(state)};
  if (latest_.tokens > 0) progress.loss = latest_.nll / latest_.tokens;
  if (latest_.seconds > 0) progress.tokens_per_second = latest_.tokens / latest_.seconds;
  progress.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  return progress;
}

double TrainingMeter::seconds_left(std::int64_t step, std::int64_t last_step) const {
  return seconds_a_step() * static_cast<double>(last_step - step);
}

double TrainingMeter::seconds_a_step() const {
  if (steps_ == 0) return 0;
  return std::chrono::duration<double>(Clock::now() - begin_).count() / static_cast<double>(steps_);
}

TrainingReport TrainingMeter::report(TrainingState& state, double learning_rate, std::int64_t last_step) {
  TrainingReport report;
  report.step = state.step;
  report.last_step = last_step;
  report.epoch = epoch_of(state);
  report.loss = state.unreported_nll / static_cast<double>(state.unreported_tokens);
  report.learning_rate = learning_rate;
  report.gradient_norm = since_report_.gradient_norm;
  if (since_report_.seconds > 0)
    report.tokens_per_second = static_cast<double>(since_report_.tokens) / since_report_.seconds;
  report.seconds_left = seconds_left(state.step, last_step);
  report.skipped = state.skipped_updates;
  state.unreported_nll = 0;
  state.unreported_tokens = 0;
  since_report_ = {};
  return report;
}

}  // namespace gloss
