#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "data/batch_stream.h"
#include "training/training_config.h"
#include "training/training_state.h"

namespace gloss {

/// Returns the number of updates that `batches` batches of one epoch make with training.accumulate.
std::int64_t updates_of(const TrainingConfig& config, std::int64_t batches);

/// Returns the number of updates of epochs, each of which has at least one batch; absent if it exceeds `limit`.
std::optional<std::int64_t> updates_of(const TrainingConfig& config, std::span<const EpochsOfStage> stages,
                                       std::int64_t limit);

/// Decides when a run validates, saves and ends, from its configuration and the position in the epoch.
class TrainingPlan {
 public:
  /// Both arguments must outlive the plan.
  TrainingPlan(const TrainingConfig& config, const BatchStream& batches) : config_(&config), batches_(&batches) {}

  /// Returns whether the batches are between two epochs; false before the first.
  bool epoch_ended() const;
  /// Returns whether the weights of this step are to be validated and are not yet: every validate_every steps, or at
  /// the end of each epoch if that is 0.
  bool validation_due(const TrainingState& state) const;
  /// Returns whether this step is to be saved: every save_every steps, or at the end of each epoch if that is 0.
  bool save_due(const TrainingState& state) const;
  /// Returns whether early stopping ends the run: its patience is above 0, and that many validations or more in
  /// succession were no better than the best.
  bool patience_lost(const TrainingState& state) const;
  /// Returns whether a limit of the run is reached. `state.seconds` must be up to date.
  bool limit_reached(const TrainingState& state) const;
  /// Estimates the last step from the run's limits. All epochs of a stage are assumed to have equally many batches
  /// (BatchStream::expected_epochs), and steps to take `seconds_a_step`, 0 if unknown.
  std::int64_t last_step(const TrainingState& state, double seconds_a_step) const;
  /// Returns the seconds after which the run ends; infinity without a limit.
  double seconds_limit() const;

 private:
  bool due(const TrainingState& state, std::int64_t every) const;

  const TrainingConfig* config_;
  const BatchStream* batches_;
};

/// The result of a validation, computed by the caller of the trainer, which has the search and the metrics. A
/// validation that throws Stopped (common/system/stop.h) does not count.
struct Validation {
  double loss = 0;  ///< negative log-likelihood per token, without smoothing
  std::optional<double> bleu;
};

/// Records the validation of `state`.step, and whether it is the best so far: higher BLEU, or lower loss or perplexity.
/// A missing or non-finite value is never better. Step 0, the model that a run starts from, does not count as a
/// checkpoint. Throws UsageError if early stopping uses BLEU and there is none.
void note_validation(TrainingState& state, const Validation& validation, const TrainingConfig::EarlyStop& early_stop);

}  // namespace gloss
