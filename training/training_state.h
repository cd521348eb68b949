#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/config/json.h"
#include "data/batch_stream.h"

namespace gloss {

/// The training loop's place: everything but the tensors that is needed to go on as if never stopped.
struct TrainingState {
  std::int64_t step = 0;                      ///< updates done
  EpochPosition position;                     ///< batches consumed
  std::int64_t validated_step = 0;            ///< of the last validation
  std::optional<double> best_score;           ///< of early stopping's metric, so far
  std::int64_t best_step = 0;                 ///< where it was; 0: nowhere yet
  std::int64_t validations_without_gain = 0;  ///< since the best
  std::int64_t skipped_updates = 0;           ///< whose loss or gradient was not finite, in all
  std::int64_t skipped_in_a_row = 0;          ///< at the end
  double unreported_nll = 0;                  ///< sum over the tokens since the last report
  std::int64_t unreported_tokens = 0;
  double seconds = 0;                 ///< that training took until now, by the clock, in all processes together
  std::vector<std::string> averaged;  ///< files of the folder whose mean the model is to be (average_last)
  std::int64_t threads = 1;           ///< of the run that saved
  std::string device;                 ///< its kind, "cpu" or "cuda"; empty where an older version saved
  Json hashes = Json::object();       ///< name to hash: of what a resumed run must have unchanged
};

Json to_json(const TrainingState& state);
/// Throws ModelError naming `file` where a key is missing, unknown or wrong.
TrainingState read_training_state(const Json& json, const std::string& file);

/// Warns where `saved` comes of another number of threads or kind of device than `now`.
void warn_of_other_numbers(const TrainingState& saved, const TrainingState& now);

/// Throws UsageError listing the names that only one of the two has or whose hashes differ; null in `now` is like any:
/// what is gone cannot be looked at.
void expect_equal_hashes(const Json& saved, const Json& now);

}  // namespace gloss
