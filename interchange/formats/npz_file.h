#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "interchange/formats/foreign_tensors.h"

namespace gloss {

/// Opens a NumPy archive (.npz): a ZIP archive of .npy files, whose names without ".npy" are the tensors' names. The
/// header of each tensor is checked at once. Throws ModelError with the path and the fault; an archive with the state
/// of Marian's optimizer is refused with a hint. Throws IoError, and UsageError if gloss was built without libzip.
std::unique_ptr<ForeignTensors> open_npz(const std::filesystem::path& path);

/// Writes a NumPy archive atomically (common/files/atomic_file.h): contiguous tensors on the CPU with their names,
/// which are different, in this order. Entries are stored, not deflated, as Marian's reader requires. The bytes depend
/// on the tensors only. The whole archive is built in memory first. Throws IoError, and UsageError if gloss was built
/// without libzip.
void write_npz(const std::filesystem::path& path, const std::vector<std::pair<std::string, at::Tensor>>& tensors);

/// Start of a NumPy file (.npy).
struct NpyHeader {
  ForeignTensorInfo info;
  std::size_t data_offset = 0;  ///< bytes before the elements
};

/// Maximum size of a header in bytes, with the ten or twelve bytes before it.
inline constexpr std::size_t kMaxNpyHeaderBytes = 12 + 65'536;

/// Parses the header of a file of `file_size` bytes; `start` holds its first kMaxNpyHeaderBytes bytes, or all of a
/// shorter file. Accepts versions 1 to 3 and little-endian f2, f4, f8, i1, i2, i4, i8, u1 and u4. Throws ModelError
/// with `name` for another type, for Fortran's order, more than 8 dimensions, or a shape that does not fit `file_size`.
NpyHeader read_npy_header(std::string_view start, std::uint64_t file_size, const std::string& name);

/// Returns the bytes before the elements of a .npy file, version 1, padded to a multiple of 64 bytes. Marian's reader
/// requires at most 255 bytes and the keys in this order; both hold for up to 8 dimensions.
std::string npy_header(const ForeignTensorInfo& info);

}  // namespace gloss
