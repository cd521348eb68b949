#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>

#include "common/special_ids.h"

namespace gloss {

/// Layout of a corpus file (docs/file_formats.md). All positions are in bytes.
struct CorpusLayout {
  static constexpr std::string_view kBegin = "gloss corpus 2\n\n", kEnd = "\ncorpus\n";
  static constexpr std::uint64_t kPairsToAStart = 64;

  std::uint64_t pairs = 0, ids = 0;
  std::uint64_t id_bytes = 2, length_bytes = 2;  ///< 2 or 4

  std::uint64_t ids_at() const { return kBegin.size(); }
  std::uint64_t index_at() const { return ids_at() + ids * id_bytes; }  ///< starts and lengths of pairs, to `sums_at`
  std::uint64_t starts_at() const { return aligned(index_at()); }
  std::uint64_t source_lengths_at() const { return starts_at() + starts() * sizeof(std::uint64_t); }
  std::uint64_t target_lengths_at() const { return aligned(source_lengths_at() + pairs * length_bytes); }
  std::uint64_t sums_at() const { return aligned(target_lengths_at() + pairs * length_bytes); }
  std::uint64_t footer_at() const { return aligned(sums_at() + pairs * sizeof(std::uint32_t)); }
  std::uint64_t starts() const { return (pairs + kPairsToAStart - 1) / kPairsToAStart; }

  /// Returns the bytes of a number of at most `max_value`: 2 or 4.
  static constexpr std::uint64_t width_of(std::int64_t max_value) {
    return max_value <= std::numeric_limits<std::uint16_t>::max() ? 2 : 4;
  }
  static constexpr std::uint64_t aligned(std::uint64_t place) { return (place + 7) / 8 * 8; }
};

/// Reads a number of 2 or 4 bytes.
inline std::uint32_t load_number(const std::byte* place, std::uint64_t bytes) {
  std::uint32_t value = 0;
  if (bytes == 2) {
    std::uint16_t small = 0;
    std::memcpy(&small, place, sizeof small);
    return small;
  }
  std::memcpy(&value, place, sizeof value);
  return value;
}

/// Returns the checksum of a pair: FNV-1a, 32 bits, id by id over source and target. It detects every single wrong id.
inline std::uint32_t sum_ids(std::span<const Id> ids, std::uint32_t sum = 0x811c9dc5U) {
  for (const Id id : ids) sum = (sum ^ static_cast<std::uint32_t>(id)) * 0x01000193U;
  return sum;
}

}  // namespace gloss
