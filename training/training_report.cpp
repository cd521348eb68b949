#include "training/training_report.h"

namespace gloss {

void TrainingMeter::add(const UpdateResult& update, double seconds) {
  ++steps_;
  since_report_.seconds += seconds;
  since_report_.tokens += update.tokens;
  since_report_.gradient_norm = update.gradient_norm;
}

TrainingProgress TrainingMeter::progress(std::int64_t step, std::int64_t last_step) const {
  return {
      .step = step, .last_step = last_step, .seconds_left = seconds_a_step() * static_cast<double>(last_step - step)};
}

double TrainingMeter::seconds_a_step() const {
  if (steps_ == 0) return 0;
  return std::chrono::duration<double>(Clock::now() - begin_).count() / static_cast<double>(steps_);
}

TrainingReport TrainingMeter::report(TrainingState& state, double learning_rate, std::int64_t last_step) {
  TrainingReport report;
  report.step = state.step;
  report.last_step = last_step;
  report.epoch = state.position.epoch + (state.position.batch > 0 ? 1 : 0);
  report.loss = state.unreported_nll / static_cast<double>(state.unreported_tokens);
  report.learning_rate = learning_rate;
  report.gradient_norm = since_report_.gradient_norm;
  if (since_report_.seconds > 0)
    report.tokens_per_second = static_cast<double>(since_report_.tokens) / since_report_.seconds;
  report.seconds_left = progress(state.step, last_step).seconds_left;
  report.skipped = state.skipped_updates;
  state.unreported_nll = 0;
  state.unreported_tokens = 0;
  since_report_ = {};
  return report;
}

}  // namespace gloss
