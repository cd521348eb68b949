#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "common/files/safetensors.h"
#include "training/training_state.h"

namespace gloss {

/// The format that a checkpoint's metadata names.
inline constexpr std::string_view kCheckpointFormat = "gloss-checkpoint";

/// The link to the checkpoint of the best validation.
inline constexpr std::string_view kBestCheckpoint = "best.safetensors";

/// Throws ModelError where the file is no checkpoint, of a newer version, or its state is damaged.
TrainingState read_checkpoint_state(const SafetensorsFile& file);

/// Checkpoints of one run folder: `step-00001234.safetensors`, one file each, ordered by step, and `best.safetensors`,
/// a link to the one of state.best_step.
class CheckpointFolder {
 public:
  /// Keeps the newest `keep`. The folder is made when something is saved.
  CheckpointFolder(std::filesystem::path folder, std::int64_t keep);

  /// Writes atomically, then removes what is not among the newest `keep`, nor in state.averaged, nor the best, and
  /// what is of a later step (a damaged file that was gone back behind). Throws IoError; the checkpoints before are
  /// then untouched.
  void save(const std::map<std::string, TensorView>& tensors, const TrainingState& state);

  struct Loaded {
    SafetensorsFile file;
    TrainingState state;
  };
  /// The newest checkpoint that is whole. A damaged newer one is named in a warning with the steps lost, and temporary
  /// files that a killed process left are removed. Empty where there is none at all. Throws ModelError where there are
  /// some and none is whole, and where one is of a newer format.
  std::optional<Loaded> newest() const;
  /// Whether there is a checkpoint, whole or not. Throws IoError.
  bool has_any() const;

  /// One checkpoint by its name. Throws ModelError where it is gone, damaged or of another format, IoError.
  SafetensorsFile open(const std::string& file_name) const;

 private:
  void link_best(const TrainingState& state) const;
  void remove_superfluous(const TrainingState& state) const;

  std::filesystem::path folder_;
  std::int64_t keep_;
};

}  // namespace gloss
