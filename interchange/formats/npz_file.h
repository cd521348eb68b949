#pragma once

#include <filesystem>
#include <memory>

#include "interchange/formats/foreign_tensors.h"

namespace gloss {

/// Opens a NumPy archive (.npz): a ZIP archive of .npy files, whose names without ".npy" are the tensors' names. The
/// header of each tensor is checked at once. Throws ModelError with the path and the fault; an archive with the state
/// of Marian's optimizer is refused with a hint. Throws IoError, and UsageError if gloss was built without libzip.
std::unique_ptr<ForeignTensors> open_npz(const std::filesystem::path& path);

}  // namespace gloss
