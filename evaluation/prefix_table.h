#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "evaluation/keyed_hash.h"

namespace gloss {

/// Numbers sequences of symbols by their prefixes: a sequence is the number of all of it but the last symbol, and that
/// symbol. Different sequences have different numbers, 0 being the first to come.
class PrefixTable {
 public:
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

  /// Forgets all; from now on there are at most `sequences` different ones.
  void reset(std::size_t sequences) {
    const std::size_t size = std::bit_ceil(2 * sequences + 2);  // half of it stays empty
    shift_ = 64 - std::countr_zero(size);
    slots_.assign(size, {});
    count_ = 0;
  }

  /// The number of the sequence; a new one where it has none.
  std::uint32_t number(std::uint32_t prefix, std::uint32_t symbol) {
    Slot& slot = slots_[place(prefix, symbol)];
    if (slot.number == kUnknown) slot = {prefix, symbol, count_++};
    return slot.number;
  }

  /// The same, kUnknown where it has none.
  std::uint32_t find(std::uint32_t prefix, std::uint32_t symbol) const { return slots_[place(prefix, symbol)].number; }

  std::uint32_t count() const { return count_; }

 private:
  struct Slot {
    std::uint32_t prefix = 0, symbol = 0, number = kUnknown;
  };

  /// Where the sequence is, or the empty slot where it would be.
  std::size_t place(std::uint32_t prefix, std::uint32_t symbol) const {
    std::size_t i = hash_(std::uint64_t{prefix} << 32 | symbol) >> shift_;
    while (slots_[i].number != kUnknown && (slots_[i].prefix != prefix || slots_[i].symbol != symbol))
      i = (i + 1) & (slots_.size() - 1);
    return i;
  }

  KeyedHash hash_;
  std::vector<Slot> slots_;
  int shift_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace gloss
