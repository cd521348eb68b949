#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace gloss {

/// Assigns ids to keys: equal keys have equal ids, starting with 0 in order of arrival. Key is a 64-bit word or a text,
/// which is not copied.
template <typename Key>
class NumberTable {
 public:
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

  /// Clears the table for at most `keys` different keys.
  void reset(std::size_t keys) {
    const std::size_t size = std::bit_ceil(2 * keys + 2);  // half of the slots stay empty
    shift_ = 64 - std::countr_zero(size);
    if (slots_.size() < size) slots_.resize(size);
    first_ = next_;
  }

  /// Returns the id of the key, a new one for a new key.
  std::uint32_t number(Key key) {
    Slot& slot = slots_[slot_index(key)];
    if (!is_taken(slot)) slot = {key, next_++};
    return number_of(slot);
  }

  /// Returns the id of the key, or kUnknown.
  std::uint32_t find(Key key) const {
    const Slot& slot = slots_[slot_index(key)];
    return is_taken(slot) ? number_of(slot) : kUnknown;
  }

 private:
  struct Slot {
    Key key = {};
    std::uint64_t arrival = 0;  // the key's number among all keys ever added; those before `first_` are cleared
  };

  bool is_taken(const Slot& slot) const { return slot.arrival >= first_; }
  std::uint32_t number_of(const Slot& slot) const { return static_cast<std::uint32_t>(slot.arrival - first_); }

  /// Returns the slot of the key, or the empty slot for it.
  std::size_t slot_index(Key key) const {
    // Fibonacci hashing: the upper bits of the product depend on all bits of the hash.
    std::size_t i = std::hash<Key>()(key) * 0x9e3779b97f4a7c15 >> shift_;
    while (is_taken(slots_[i]) && slots_[i].key != key) i = (i + 1) & (slots_.size() - 1);
    return i;
  }

  std::vector<Slot> slots_;
  int shift_ = 0;
  std::uint64_t first_ = 1, next_ = 1;  // arrivals: of the first key after reset(), and of the next key
};

using TokenTable = NumberTable<std::string_view>;

/// Ids of sequences of symbols, by their prefix_key().
using PrefixTable = NumberTable<std::uint64_t>;

/// Returns the key of a sequence: the id of all but its last symbol, and that symbol.
inline std::uint64_t prefix_key(std::uint32_t prefix, std::uint32_t symbol) {
  return std::uint64_t{prefix} << 32 | symbol;
}

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
