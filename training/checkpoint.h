#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "common/files/safetensors.h"
#include "training/training_state.h"

namespace gloss {

/// Name of the link to the checkpoint of the best validation.
inline constexpr std::string_view kBestCheckpoint = "best.safetensors";

/// Reads the state of a checkpoint. Throws ModelError if the file is not a checkpoint, has a newer version, or its
/// state is damaged.
TrainingState read_checkpoint_state(const SafetensorsFile& file);

/// The checkpoints of one run folder: one file `step-00001234.safetensors` per checkpoint, ordered by step, and
/// `best.safetensors`, a link to that of state.best_step.
class CheckpointFolder {
 public:
  /// Keeps the newest `keep` checkpoints. The folder is created by the first save.
  CheckpointFolder(std::filesystem::path folder, std::int64_t keep);

  /// Writes a checkpoint atomically. Then removes those that are neither among the newest `keep`, nor in
  /// state.averaged, nor the best, and those of later steps (damaged ones, if the run resumed from an earlier step).
  /// Throws IoError; previous checkpoints are then unchanged.
  void save(const std::map<std::string, TensorView>& tensors, const TrainingState& state);

  struct Loaded {
    SafetensorsFile file;
    TrainingState state;
  };
  /// Loads the newest intact checkpoint. Newer damaged ones are reported in a warning with the number of lost steps.
  /// Temporary files of killed processes are removed. Returns nothing if there is no checkpoint. Throws ModelError if
  /// all are damaged or one has a newer format.
  std::optional<Loaded> newest() const;
  /// Returns whether there is a checkpoint, intact or damaged. Throws IoError.
  bool has_any() const;

  /// Opens a checkpoint by its name. Throws ModelError if it is missing, damaged or of another format, IoError if it
  /// cannot be read.
  SafetensorsFile open(const std::string& file_name) const;

 private:
  void link_best(const TrainingState& state) const;
  void remove_superfluous(const TrainingState& state) const;

  std::filesystem::path folder_;
  std::int64_t keep_;
};

}  // namespace gloss
