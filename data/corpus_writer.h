#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "common/config/json.h"
#include "common/files/sha256.h"
#include "common/special_ids.h"
#include "data/pair_verdict.h"

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

/// Writes a corpus file from front to end (docs/file_formats.md). Memory: a buffer, and 8 or 12 bytes a pair until the
/// end.
class CorpusWriter {
 public:
  using Sink = std::function<void(std::span<const std::byte>)>;

  /// All ids are below `vocabulary_size`. A sentence has at most `max_length` ids; 0: unknown.
  CorpusWriter(Sink sink, std::int64_t vocabulary_size, std::int64_t max_length);

  /// Adds a pair. Throws DataError after the last pair that a corpus can hold, 2^32 - 1.
  void add(std::span<const Id> source, std::span<const Id> target);
  /// Writes the rest of the file: the index and the footer with `key`, which names the inputs of the encoding.
  /// `reports`: one for each text, in the order in which their pairs were added.
  void finish(const Json& key, std::span<const CorpusReport> reports);
  std::int64_t pairs() const { return static_cast<std::int64_t>(layout_.pairs); }

 private:
  void put(std::span<const std::byte> bytes);
  void flush();
  std::span<const std::byte> padding() const;

  Sink sink_;
  CorpusLayout layout_;
  std::vector<std::byte> buffer_;
  std::uint64_t written_ = 0;
  std::vector<std::uint64_t> starts_;
  std::vector<std::byte> source_lengths_, target_lengths_;
  std::vector<std::uint32_t> sums_;
  Ids pair_;     ///< input of hash_ for one pair: both lengths, both sentences
  Sha256 hash_;  ///< over all pairs
};

}  // namespace gloss
