#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "evaluation/keyed_hash.h"

namespace gloss {

/// Numbers keys: equal ones alike, different ones apart, 0 being the first to come. Key is a word of 64 bits or a text,
/// which the table looks at and does not copy.
template <typename Key>
class NumberTable {
 public:
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

  /// Forgets all; from now on there are at most `keys` different ones.
  void reset(std::size_t keys) {
    const std::size_t size = std::bit_ceil(2 * keys + 2);  // half of it stays empty
    shift_ = 64 - std::countr_zero(size);
    if (slots_.size() < size) slots_.resize(size);
    first_ = next_;
  }

  /// The number of the key; a new one where it has none.
  std::uint32_t number(Key key) {
    Slot& slot = slots_[place(key)];
    if (!is_taken(slot)) slot = {key, next_++};
    return number_of(slot);
  }

  /// The same, kUnknown where it has none.
  std::uint32_t find(Key key) const {
    const Slot& slot = slots_[place(key)];
    return is_taken(slot) ? number_of(slot) : kUnknown;
  }

 private:
  struct Slot {
    Key key = {};
    std::uint64_t arrival = 0;  // the key's place among all that ever came; what came before `first_` is forgotten
  };

  bool is_taken(const Slot& slot) const { return slot.arrival >= first_; }
  std::uint32_t number_of(const Slot& slot) const { return static_cast<std::uint32_t>(slot.arrival - first_); }

  /// Where the key is, or the empty slot where it would be.
  std::size_t place(Key key) const {
    std::size_t i = hash_(key) >> shift_;
    while (is_taken(slots_[i]) && slots_[i].key != key) i = (i + 1) & (slots_.size() - 1);
    return i;
  }

  KeyedHash hash_;
  std::vector<Slot> slots_;
  int shift_ = 0;
  std::uint64_t first_ = 1, next_ = 1;  // arrivals: of the first key behind reset(), and of the next
};

using TokenTable = NumberTable<std::string_view>;

/// Of sequences of symbols, each known by the number of all of it but the last symbol, and that symbol.
using PrefixTable = NumberTable<std::uint64_t>;
inline std::uint64_t sequence(std::uint32_t prefix, std::uint32_t symbol) {
  return std::uint64_t{prefix} << 32 | symbol;
}

}  // namespace gloss
