#pragma once

#include <chrono>
#include <cstdint>

#include "training/training_state.h"
#include "training/update.h"

namespace gloss {

/// Means over the steps since the last report, for the log.
struct TrainingReport {
  std::int64_t step = 0;
  std::int64_t last_step = 0;  ///< estimate from the run's limits
  std::int64_t epoch = 0;      ///< from 1
  double loss = 0;             ///< negative log-likelihood per token, without smoothing
  double learning_rate = 0;
  double gradient_norm = 0;      ///< of the last step, before clipping
  double tokens_per_second = 0;  ///< target tokens without padding; time of validation and saving excluded
  double seconds_left = 0;       ///< until `last_step`, at the average pace of this process, including validation and
                                 ///< saving
  std::int64_t skipped = 0;      ///< updates skipped in the whole run, see Trainer::run
};

/// Progress of the run after an update.
struct TrainingProgress {
  std::int64_t step = 0, last_step = 0;
  double seconds_left = 0;
  std::int64_t epoch = 0;        ///< from 1
  double loss = 0;               ///< negative log-likelihood per token, mean of the latest updates
  double tokens_per_second = 0;  ///< of the latest updates, as in TrainingReport
  double seconds = 0;            ///< since this process started training
};

/// Measures the updates of this process. Its clock starts at construction.
class TrainingMeter {
 public:
  /// Adds an applied update that took `seconds`.
  void add(const UpdateResult& update, double seconds);
  /// Returns the report at `state` and resets its sums. `learning_rate` is that of its step.
  TrainingReport report(TrainingState& state, double learning_rate, std::int64_t last_step);
  TrainingProgress progress(const TrainingState& state, std::int64_t last_step) const;
  /// Returns the average pace of this process, including validation and saving; 0 before the first update.
  double seconds_a_step() const;

 private:
  using Clock = std::chrono::steady_clock;

  double seconds_left(std::int64_t step, std::int64_t last_step) const;

  Clock::time_point begin_ = Clock::now();
  std::int64_t steps_ = 0;
  struct SinceReport {
    double seconds = 0;  ///< spent in updates
    std::int64_t tokens = 0;
    double gradient_norm = 0;
  } since_report_;
  struct Latest {
    double nll = 0, tokens = 0, seconds = 0;
  } latest_;  ///< exponentially decaying sums over the updates
};

}  // namespace gloss
