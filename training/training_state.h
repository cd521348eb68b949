#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/config/json.h"
#include "data/batch_stream.h"

namespace gloss {

/// The start and the best of the validations of a run so far. Step 0 is the model that the run starts from.
struct ValidationScores {
  struct Score {
    double value = 0;
    std::int64_t step = 0;
  };
  std::optional<Score> start_loss, start_bleu;  ///< of step 0; absent if it was not validated
  std::optional<Score> best_loss, best_bleu;
};

/// State of the training loop: everything except tensors that is needed to resume as if never stopped.
struct TrainingState {
  std::int64_t step = 0;                      ///< updates done
  EpochPosition position;                     ///< batches consumed
  std::int64_t validated_step = 0;            ///< step of the last validation
  std::optional<double> best_score;           ///< best value of early stopping's metric so far
  std::int64_t best_step = 0;                 ///< its step; 0: none yet
  std::int64_t validations_without_gain = 0;  ///< validations since the best one
  ValidationScores scores = {};               ///< no part of what training does; empty in older versions
  std::int64_t skipped_updates = 0;           ///< updates with a loss or gradient that was not finite, in total
  std::int64_t skipped_in_a_row = 0;          ///< consecutive ones up to now
  double unreported_nll = 0;                  ///< sum over the tokens since the last report
  std::int64_t unreported_tokens = 0;
  double seconds = 0;                 ///< wall-clock time of training, over all processes of the run
  std::vector<std::string> averaged;  ///< files of the folder to be averaged into the model (average_last)
  std::int64_t shards = 1;            ///< training.shards; 0 if saved by an older version without them
  std::string device;                 ///< kind of device, "cpu" or "cuda"; empty if saved by an older version
  Json hashes = Json::object();       ///< name to hash of inputs that must be unchanged when resuming
};

Json to_json(const TrainingState& state);
/// Parses a state. Throws ModelError with `file` if a key is missing, unknown or wrong.
TrainingState read_training_state(const Json& json, const std::string& file);

/// Warns if `saved` is of a version without shards, or of another kind of device than `now`.
void warn_of_other_numbers(const TrainingState& saved, const TrainingState& now);

/// Throws UsageError with the names that exist only once or whose hashes differ. A null in `now` (an input that no
/// longer exists) equals every hash.
void expect_equal_hashes(const Json& saved, const Json& now);

}  // namespace gloss
