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

/// How far the run is, after an update.
struct TrainingProgress {
  std::int64_t step = 0, last_step = 0;
  double seconds_left = 0;
  std::int64_t epoch = 0;        ///< from 1
  double loss = 0;               ///< negative log-likelihood of a token, mean of the latest updates
  double tokens_per_second = 0;  ///< of the latest updates, as in TrainingReport
  double seconds = 0;            ///< since this process began to train
};

/// Measures what the updates of this process do. Its clock starts when it is made.
class TrainingMeter {
 public:
  /// An update that was applied and took `seconds`.
  void add(const UpdateResult& update, double seconds);
  /// The report at `state`, whose sums begin anew. `learning_rate` is that of its step.
  TrainingReport report(TrainingState& state, double learning_rate, std::int64_t last_step);
  TrainingProgress progress(const TrainingState& state, std::int64_t last_step) const;
  /// At this process' pace so far, validation and saving counted; 0 before the first update.
  double seconds_a_step() const;

 private:
  using Clock = std::chrono::steady_clock;

  double seconds_left(std::int64_t step, std::int64_t last_step) const;

  Clock::time_point begin_ = Clock::now();
  std::int64_t steps_ = 0;
  struct SinceReport {
    double seconds = 0;  ///< in updates
    std::int64_t tokens = 0;
    double gradient_norm = 0;
  } since_report_;
  struct Latest {
    double nll = 0, tokens = 0, seconds = 0;
  } latest_;  ///< sums over the updates, of which an older one weighs less
};

}  // namespace gloss
