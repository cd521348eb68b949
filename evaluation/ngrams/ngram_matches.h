#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "evaluation/ngrams/number_table.h"

namespace gloss {

/// Counts the n-grams that a hypothesis shares with its references, exactly. An n-gram is identified by the id of its
/// first n - 1 symbols and its last symbol, order by order. N-grams without a match are not extended. Reuses its memory
/// from call to call; use one object per thread.
class NgramMatcher {
 public:
  using Symbols = std::span<const std::uint32_t>;

  /// Fills `matches[n - 1]` with the n-grams of the hypothesis, for each n up to `matches.size()`. Each n-gram is
  /// counted at most as often as in the reference that has it most often.
  void count(Symbols hypothesis, std::span<const Symbols> references, std::span<std::int64_t> matches);

 private:
  struct Occurrence {
    std::uint32_t begin, prefix;  // id of the n - 1 symbols from `begin` on
  };
  struct Entry {
    std::uint32_t left = 0;                       // unmatched occurrences in the reference that has most
    std::uint32_t last_reference = 0, count = 0;  // occurrences in the reference counted last
    bool in_hypothesis = false;                   // occurs in the hypothesis
  };

  void count_reference(Symbols reference, std::uint32_t number, std::size_t order);
  std::int64_t match_hypothesis(Symbols hypothesis, std::size_t order);

  PrefixTable table_;
  std::vector<Occurrence> hypothesis_ngrams_;
  std::vector<std::vector<Occurrence>> reference_ngrams_;  // by reference
  std::vector<Entry> entries_;                             // by n-gram id
};

}  // namespace gloss
