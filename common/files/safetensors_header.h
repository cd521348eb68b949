#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/files/safetensors.h"

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
/// shorter file. Throws ModelError for a file of another format, a length beyond the file or 64 MiB, or no multiple
/// of 8.
std::size_t read_header_length(std::span<const std::byte> start, std::uint64_t file_size, const std::string& name);

/// Throws ModelError unless all of this holds: strict JSON, no key twice; metadata of strings; at most
/// 200,000 tensors;
/// names of printable ASCII without a path; a known type; at most 8 dimensions, whose product does not overflow and
/// fits the bytes (it may be 0); tensors at multiples of their element's size that fill `data_size` bytes without
/// overlap, hole or rest; and the header has the sum that it states, if it states one. `name` stands for the file in
/// messages.
SafetensorsHeader read_header(std::string_view text, std::uint64_t data_size, const std::string& name);

/// The length and the header, padded with spaces so that the tensors begin at a multiple of 8 bytes.
std::string header_bytes(const SafetensorsHeader& header);

/// The metadata key of a header's own sum: the SHA-256 of `header_bytes` with 64 zeros as the value of this key. It
/// covers the contents, so a program that writes the same header in another order keeps it valid.
inline constexpr std::string_view kHeaderSumKey = "header_sha256";
/// Adds the sum to the metadata.
void add_header_sum(SafetensorsHeader& header);

}  // namespace gloss
