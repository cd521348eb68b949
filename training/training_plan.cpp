#include "training/training_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "common/error.h"

namespace gloss {
namespace {

std::optional<double> score_of(const Validation& validation, EarlyStopMetric metric) {
  switch (metric) {
    case EarlyStopMetric::kBleu:
      return validation.bleu;
    case EarlyStopMetric::kLoss:
      return validation.loss;
    case EarlyStopMetric::kPerplexity:
      return std::exp(validation.loss);
  }
  return std::nullopt;
}

/// Records a finite value of `step` if it is better than the best.
void note_score(std::optional<ValidationScores::Score>& best, double value, std::int64_t step, auto is_better) {
  if (std::isfinite(value) && (!best || is_better(value, best->value))) best = {value, step};
}

}  // namespace

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

void note_validation(TrainingState& state, const Validation& validation, const TrainingConfig::EarlyStop& early_stop) {
  const bool by_bleu = early_stop.metric == EarlyStopMetric::kBleu;
  if (by_bleu && !validation.bleu && early_stop.patience > 0)
    throw UsageError(
        "training.early_stop.metric: wanted a metric that validation measures, got \"bleu\"; ask for loss");

  auto& scores = state.scores;
  note_score(scores.best_loss, validation.loss, state.step, std::less<>());
  if (validation.bleu) note_score(scores.best_bleu, *validation.bleu, state.step, std::greater<>());
  if (state.step == 0) {
    scores.start_loss = scores.best_loss;
    scores.start_bleu = scores.best_bleu;
    return;
  }
  const auto score = score_of(validation, early_stop.metric);
  if (score && std::isfinite(*score) &&
      (!state.best_score || (by_bleu ? *score > *state.best_score : *score < *state.best_score))) {
    state.best_score = score;
    state.best_step = state.step;
    state.validations_without_gain = 0;
  } else {
    ++state.validations_without_gain;
  }
  state.validated_step = state.step;
}

}  // namespace gloss
