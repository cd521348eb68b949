#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "common/config/json.h"
#include "common/files/sha256.h"
#include "common/special_ids.h"
#include "data/corpus_layout.h"
#include "data/corpus_report.h"

namespace gloss {

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
