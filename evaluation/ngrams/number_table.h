#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
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

}  // namespace gloss
