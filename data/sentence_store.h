#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "common/sha256.h"
#include "common/special_ids.h"

namespace gloss {

/// Sentences as ids, one behind the other: 4 bytes a token and 8 a sentence. Grows by blocks: what is stored is never
/// copied, and no more than a block is asked for ahead.
class SentenceStore {
 public:
  static constexpr std::size_t kBlockIds = std::size_t{1} << 20;

  /// Throws DataError where there are more than `kBlockIds`.
  void add(std::span<const Id> ids);
  std::int64_t size() const { return std::ssize(begins_) - 1; }
  std::span<const Id> operator[](std::int64_t index) const;
  /// Adds where the sentences begin, counted in ids (int64, from 0, one more for the end), and then all ids (int32).
  void add_to(Sha256& sum) const;

 private:
  std::vector<std::vector<Id>> blocks_;  ///< no sentence is in two
  std::deque<std::size_t> begins_{0};    ///< block * kBlockIds + place in it; one more for the end
};

}  // namespace gloss
