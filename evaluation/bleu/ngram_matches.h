#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "evaluation/statistics/number_table.h"

namespace gloss {

/// Counts the n-grams that a hypothesis has in common with its references, exactly: sequences of symbols are numbered,
/// order by order, by the number of their first n - 1 symbols and the last. Those that the other side had no match for
/// are not looked at again. Keeps its memory between calls; each thread has its own.
class NgramMatcher {
 public:
  using Symbols = std::span<const std::uint32_t>;

  /// Fills `matches[n - 1]` for each n up to `matches.size()`: n-grams of the hypothesis, each counted at most as often
  /// as the reference has it that has it most often.
  void count(Symbols hypothesis, std::span<const Symbols> references, std::span<std::int64_t> matches);

 private:
  struct Place {
    std::uint32_t begin, prefix;  // the number of the n - 1 symbols from `begin` on
  };
  struct Entry {
    std::uint32_t left = 0;                       // how many of one reference, the one with most, are not matched yet
    std::uint32_t last_reference = 0, there = 0;  // how many of them the reference has that was looked at last
    bool met = false;                             // the hypothesis has it
  };

  void count_reference(Symbols reference, std::uint32_t number, std::size_t order);
  std::int64_t match_hypothesis(Symbols hypothesis, std::size_t order);

  PrefixTable table_;
  std::vector<Place> hypothesis_places_;
  std::vector<std::vector<Place>> reference_places_;  // by reference
  std::vector<Entry> entries_;                        // by number
};

}  // namespace gloss
