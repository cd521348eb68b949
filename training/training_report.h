#pragma once

#include <chrono>
#include <cstdint>

#include "training/training_state.h"
#include "training/update.h"

namespace gloss {

/// Means over the steps since the last report, for the log.
struct TrainingReport {
  std::int64_t step = 0;
  std::int64_t last_step = 0;  ///< where the run's limits end it, as far as can be known
  std::int64_t epoch = 0;      ///< from 1
  double loss = 0;             ///< plain negative log-likelihood a token
  double learning_rate = 0;
  double gradient_norm = 0;      ///< of the last step, before clipping
  double tokens_per_second = 0;  ///< target tokens, padding not counted; validation and saving not counted
  double seconds_left = 0;       ///< to `last_step`, at this process' pace so far, validation and saving counted
  std::int64_t skipped = 0;      ///< updates skipped since the run began, see Trainer::run
};

/// How far the run is.
struct TrainingProgress {
  std::int64_t step = 0, last_step = 0;
  double seconds_left = 0;
};

/// Measures what the updates of this process do. Its clock starts when it is made.
class TrainingMeter {
 public:
  /// An update that was applied and took `seconds`.
  void add(const UpdateResult& update, double seconds);
  /// The report at `state`, whose sums begin anew. `learning_rate` is that of its step.
  TrainingReport report(TrainingState& state, double learning_rate, std::int64_t last_step);
  TrainingProgress progress(std::int64_t step, std::int64_t last_step) const;
  /// At this process' pace so far, validation and saving counted; 0 before the first update.
  double seconds_a_step() const;

 private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point begin_ = Clock::now();
  std::int64_t steps_ = 0;
  struct SinceReport {
    double seconds = 0;  ///< in updates
    std::int64_t tokens = 0;
    double gradient_norm = 0;
  } since_report_;
};

}  // namespace gloss
