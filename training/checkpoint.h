#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/json.h"
#include "common/safetensors.h"
#include "data/batch_stream.h"

namespace gloss {

/// The training loop's place: everything but the tensors that is needed to go on as if never stopped.
struct TrainingState {
  std::int64_t step = 0;                      ///< updates done
  EpochPosition position;                     ///< batches consumed
  std::int64_t validated_step = 0;            ///< of the last validation
  std::optional<double> best_score;           ///< of early stopping's metric, so far
  std::int64_t validations_without_gain = 0;  ///< since the best
  std::int64_t skipped_updates = 0;           ///< whose loss or gradient was not finite, in all
  std::int64_t skipped_in_a_row = 0;          ///< at the end
  double unreported_nll = 0;                  ///< sum over the tokens since the last report
  std::int64_t unreported_tokens = 0;
  std::vector<std::string> averaged;  ///< files of the folder whose mean the model is to be (average_last)
  std::int64_t threads = 1;           ///< of the run that saved
  Json hashes = Json::object();       ///< name to hash: of what a resumed run must have unchanged
};

Json to_json(const TrainingState& state);
/// Throws ModelError naming `file` where a key is missing, unknown or wrong.
TrainingState read_training_state(const Json& json, const std::string& file);

/// Checkpoints of one run folder: `step-00001234.safetensors`, one file each, ordered by step.
class CheckpointFolder {
 public:
  /// Keeps the newest `keep`. The folder is made when something is saved.
  CheckpointFolder(std::filesystem::path folder, std::int64_t keep);

  static std::string file_name(std::int64_t step);

  /// Writes atomically, then removes what is neither among the newest `keep` nor in state.averaged, and what is of a
  /// later step (a damaged file that was gone back behind). Throws IoError; the checkpoints before are then untouched.
  void save(const std::map<std::string, TensorView>& tensors, const TrainingState& state);

  struct Loaded {
    SafetensorsFile file;
    TrainingState state;
  };
  /// The newest checkpoint that is whole. A damaged newer one is named in a warning with the steps lost, and temporary
  /// files that a killed process left are removed. Empty where there is none at all. Throws ModelError where there are
  /// some and none is whole, and where one is of a newer format.
  std::optional<Loaded> newest() const;

  /// One checkpoint by its name. Throws ModelError where it is damaged or of another format, IoError.
  SafetensorsFile open(const std::string& file_name) const;

 private:
  void remove_superfluous(const TrainingState& state) const;

  std::filesystem::path folder_;
  std::int64_t keep_;
};

}  // namespace gloss
