#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "common/files/safetensors.h"
#include "training/adam.h"
#include "training/training_state.h"

namespace gloss {

/// Returns the file name of a checkpoint: "step-00001234.safetensors".
std::string checkpoint_name(std::int64_t step);

/// Returns the step in such a name, or nothing for another name.
std::optional<std::int64_t> checkpoint_step(std::string_view name);

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

/// Returns the tensors of a checkpoint: the weights by name; for trained ones also Adam's moments and, if enabled, the
/// EMA, by the names of model/storage/tensor_names.h. With several processes, all must call it; if they divide
/// Adam's state, only process 0 gets more than the weights.
std::map<std::string, at::Tensor> checkpoint_tensors(const Adam& adam);

/// Copies a checkpoint's tensors into the model and Adam. Throws ModelError if one is missing, unknown, not finite or
/// has another shape.
void restore(Adam& adam, const SafetensorsFile& file);
/// Copies the weights for translating only: the EMA of a weight if the file has one.
void restore_weights(const Adam& adam, const SafetensorsFile& file);

/// Throws DivergedError with the tensor's name if a weight is not finite: such weights cannot recover and must not
/// replace good ones.
void expect_finite(const Adam& adam, std::int64_t step);

}  // namespace gloss
