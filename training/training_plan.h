#pragma once

#include <cstdint>

#include "data/batch_stream.h"
#include "training/training_config.h"
#include "training/training_state.h"

namespace gloss {

/// When a run validates, saves and ends, by its configuration and its place in the epoch.
class TrainingPlan {
 public:
  /// Both must outlive the plan.
  TrainingPlan(const TrainingConfig& config, const BatchStream& batches) : config_(&config), batches_(&batches) {}

  bool epoch_ended() const;
  bool validation_due(const TrainingState& state) const;
  bool save_due(const TrainingState& state) const;
  bool patience_lost(const TrainingState& state) const;
  /// state.seconds are the run's until now.
  bool limit_reached(const TrainingState& state) const;
  /// Where the run's limits end it, as far as can be known: epochs are taken to have as many batches as this one, and
  /// steps to take `seconds_a_step`, 0 where that is not known yet.
  std::int64_t last_step(const TrainingState& state, double seconds_a_step) const;
  /// Seconds of the run after which it ends; infinite where time does not end it.
  double seconds_limit() const;

 private:
  bool due(const TrainingState& state, std::int64_t every) const;

  const TrainingConfig* config_;
  const BatchStream* batches_;
};

}  // namespace gloss
