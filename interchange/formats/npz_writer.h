#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "interchange/formats/foreign_tensors.h"

namespace gloss {

/// A tensor to be written. The bytes are not owned and must live until the call returns.
struct NpzTensor {
  std::string name;
  ForeignTensorInfo info;  ///< neither quantized nor transposed
  std::span<const std::byte> bytes;
};

/// Writes a NumPy archive atomically (common/files/atomic_file.h), in the order of `tensors`, which have different
/// names. Entries are stored, not deflated, as Marian's reader requires. The bytes depend on the tensors only. The
/// whole archive is built in memory first. Throws IoError, and UsageError if gloss was built without libzip.
void write_npz(const std::filesystem::path& path, const std::vector<NpzTensor>& tensors);

}  // namespace gloss
