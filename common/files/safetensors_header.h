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

/// Type, shape and byte range of one tensor: [begin, end) of the data after the header.
struct TensorRange {
  Dtype dtype;
  std::vector<std::int64_t> shape;
  std::uint64_t begin;
  std::uint64_t end;
};

/// The header of a safetensors file.
struct SafetensorsHeader {
  Metadata metadata;
  std::map<std::string, TensorRange> tensors;
};

/// Alignment of the tensors and of their beginning. gloss and the present safetensors library align them; older
/// versions of that library do not.
enum class SafetensorsLayout { kAligned, kAny };

/// Bytes of the header's length, which precedes the header, little-endian.
constexpr std::size_t kHeaderLengthBytes = 8;

/// Returns the header's length in bytes, from the first bytes of a file of `file_size` bytes; `start` holds 8 bytes, or
/// all of a shorter file. Throws ModelError for another format, for a length beyond the file or 64 MiB, and for one
/// that is not a multiple of 8, if tensors are aligned.
std::size_t read_header_length(std::span<const std::byte> start, std::uint64_t file_size, const std::string& name,
                               SafetensorsLayout layout = SafetensorsLayout::kAligned);

/// Parses a header. Throws ModelError unless it is strict JSON without duplicate keys; the metadata holds strings;
/// there are at most 200,000 tensors; names are printable ASCII without a path; types are known; there are at most 8
/// dimensions, whose product does not overflow and fits the bytes (it may be 0); tensors are aligned to their element
/// size (unless `layout` is kAny) and fill `data_size` bytes without overlap, gap or rest; and the header matches its
/// checksum, if it has one. `name` is the file's name in messages.
SafetensorsHeader read_header(std::string_view text, std::uint64_t data_size, const std::string& name,
                              SafetensorsLayout layout = SafetensorsLayout::kAligned);

/// Returns the length and the header, padded with spaces so that the tensors begin at a multiple of 8 bytes.
std::string header_bytes(const SafetensorsHeader& header);

/// Metadata key of the header's checksum: the SHA-256 of `header_bytes` with 64 zeros as the value of this key. It
/// covers the content, so it stays valid if a program writes the same header in another order.
inline constexpr std::string_view kHeaderSumKey = "header_sha256";
/// Adds the header's checksum to the metadata.
void add_header_sum(SafetensorsHeader& header);

}  // namespace gloss
