#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "evaluation/prefix_table.h"

namespace gloss {

/// What a hypothesis and a reference have of the n-grams of one order.
struct NgramMatches {
  std::int64_t hypothesis = 0, reference = 0;  ///< how many there are
  std::int64_t matches = 0;                    ///< as multisets: an n-gram counts as often as both have it
};

/// Counts common n-grams of sequences of symbols, exactly: n-grams are numbered, order by order, by the number of their
/// first n - 1 symbols and the last. Those that the other side had no match for are not looked at again. Keeps its
/// memory between calls; each thread has its own.
class NgramMatcher {
 public:
  /// Fills `orders[n - 1]` for each n up to `orders.size()`.
  void count(std::span<const std::uint32_t> hypothesis, std::span<const std::uint32_t> reference,
             std::span<NgramMatches> orders);

 private:
  struct Place {
    std::uint32_t begin, prefix;  // the number of the n - 1 symbols from `begin` on
  };
  struct Entry {
    std::uint32_t left;  // how many of the reference's are not matched yet
    bool met;            // the hypothesis has it
  };

  std::int64_t count_order(std::span<const std::uint32_t> hypothesis, std::span<const std::uint32_t> reference,
                           std::size_t order);

  PrefixTable table_;
  std::vector<Place> hypothesis_places_, reference_places_;
  std::vector<Entry> entries_;  // by number
};

}  // namespace gloss
