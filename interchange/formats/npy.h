#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "interchange/formats/foreign_tensors.h"

namespace gloss {

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
NpyHeader read_npy_header(std::span<const std::byte> start, std::uint64_t file_size, const std::string& name);

/// Returns the bytes before the elements of a .npy file, version 1, padded to a multiple of 64 bytes. Marian's reader
/// requires at most 255 bytes and the keys in this order; both hold for up to 8 dimensions.
std::string npy_header(const ForeignTensorInfo& info);

}  // namespace gloss
