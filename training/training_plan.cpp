#include "training/training_plan.h"

#include <algorithm>
#include <limits>

namespace gloss {

std::int64_t updates_of(const TrainingConfig& config, std::int64_t batches) {
  return (batches + config.accumulate - 1) / config.accumulate;
}

std::optional<std::int64_t> updates_of(const TrainingConfig& config, std::span<const EpochsOfStage> stages,
                                       std::int64_t limit) {
  std::int64_t updates = 0;
  for (const auto& [epochs, batches] : stages) {
    const auto an_epoch = updates_of(config, batches);
    if (epochs > (limit - updates) / an_epoch) return std::nullopt;  // the product might overflow
    updates += epochs * an_epoch;
  }
  return updates;
}

bool TrainingPlan::epoch_ended() const {
  const EpochPosition position = batches_->position();
  return position.batch == 0 ? position.epoch > 0 : position.batch == batches_->batches_in_epoch();
}

bool TrainingPlan::validation_due(const TrainingState& state) const {
  return state.validated_step != state.step && due(state, config_->validate_every);
}

bool TrainingPlan::save_due(const TrainingState& state) const { return due(state, config_->save_every); }

bool TrainingPlan::patience_lost(const TrainingState& state) const {
  const std::int64_t patience = config_->early_stop.patience;
  return patience > 0 && state.validations_without_gain >= patience;
}

bool TrainingPlan::limit_reached(const TrainingState& state) const {
  const std::int64_t epochs = state.position.epoch + (state.position.batch > 0 && epoch_ended() ? 1 : 0);
  return state.step >= config_->step_limit() || (config_->max_epochs && epochs >= *config_->max_epochs) ||
         state.seconds >= seconds_limit();
}

std::int64_t TrainingPlan::last_step(const TrainingState& state, double seconds_a_step) const {
  std::int64_t last = config_->step_limit();
  if (config_->max_epochs) {
    // Updates of the epochs to come and of the current one; absent if the step limit is reached first.
    const auto epochs = batches_->expected_epochs(state.position.epoch, *config_->max_epochs);
    if (const auto updates = updates_of(*config_, epochs, last))
      last = std::min(last, state.step + *updates - updates_of(*config_, state.position.batch));
  }
  if (config_->max_hours && seconds_a_step > 0) {
    const double steps = std::max(0.0, seconds_limit() - state.seconds) / seconds_a_step;
    if (steps < static_cast<double>(last - state.step)) last = state.step + static_cast<std::int64_t>(steps);
  }
  return std::max(last, state.step);
}

double TrainingPlan::seconds_limit() const {
  constexpr double kHour = 3600;
  return config_->max_hours ? *config_->max_hours * kHour : std::numeric_limits<double>::infinity();
}

// Returns whether something is due every `every` steps; 0: at the end of each epoch.
bool TrainingPlan::due(const TrainingState& state, std::int64_t every) const {
  if (state.step == 0) return false;
  return every > 0 ? state.step % every == 0 : epoch_ended();
}

}  // namespace gloss
