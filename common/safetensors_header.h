#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/safetensors.h"

namespace gloss {

/// The bytes of one tensor are [begin, end) of what follows the header.
struct TensorPlace {
  Dtype dtype;
  std::vector<std::int64_t> shape;
  std::uint64_t begin;
  std::uint64_t end;
};

/// What the header of a safetensors file says.
struct SafetensorsHeader {
  Metadata metadata;
  std::map<std::string, TensorPlace> tensors;
};

/// The 8 bytes before the header: its length, little-endian.
constexpr std::size_t kHeaderLengthBytes = 8;

/// The header's length in bytes from the first bytes of a file of `file_size` bytes; `start` holds 8, or all of a
/// shorter file. Throws ModelError for a file of another format, a length beyond the file or 16 MiB, or no multiple
/// of 8.
std::size_t read_header_length(std::span<const std::byte> start, std::uint64_t file_size, const std::string& name);

/// Throws ModelError unless all of this holds: strict JSON, no key twice; metadata of strings; at most 10,000 tensors;
/// names of printable ASCII without a path; a known type; at most 8 dimensions, whose product does not overflow and
/// fits the bytes (it may be 0); tensors at multiples of their element's size that fill `data_size` bytes without
/// overlap, hole or rest. `name` stands for the file in messages.
SafetensorsHeader read_header(std::string_view text, std::uint64_t data_size, const std::string& name);

/// The length and the header, padded with spaces so that the tensors begin at a multiple of 8 bytes.
std::string header_bytes(const SafetensorsHeader& header);

}  // namespace gloss
