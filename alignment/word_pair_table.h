#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "alignment/line_ids.h"

namespace gloss {

/// A source word and a target word that occur in one pair of sentences. Arrays are by direction: 0 is the probability
/// of the target word given the source word, 1 the reverse.
struct WordPair {
  std::uint64_t key = 0;  ///< 0: a free slot of the table
  std::array<float, 2> probability = {};
  std::array<std::uint64_t, 2> count = {};  ///< expected links, in units of 2^-32

  Id source() const { return static_cast<Id>(key >> 32) - 1; }
  Id target() const { return static_cast<Id>(key & 0xffffffff); }
};

/// All word pairs of a text, by open addressing. Memory: 43 bytes for each pair in the end; while pairs are added, 11
/// to 16 bytes, and up to 27 while the table grows.
class WordPairTable {
 public:
  /// Adds the word pairs of some lines. Throws DataError if the table would have more than 2^32 slots.
  void add(std::span<const IdPair> lines, int threads);
  /// Makes the slots of the pairs. No pairs can be added afterwards.
  void finish();

  /// Looks up a source word with each target word. Throws DataError if a pair was not added.
  void find(Id source, std::span<const Id> targets, WordPair** found);
  std::span<WordPair> slots() { return slots_; }

 private:
  void reserve(std::uint64_t size);

  std::uint64_t size_ = 0;
  std::vector<std::uint64_t> keys_;  ///< until finish()
  std::vector<WordPair> slots_;      ///< afterwards
};

}  // namespace gloss
