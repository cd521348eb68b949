#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "evaluation/keyed_hash.h"

namespace gloss {

/// Numbers texts: equal ones alike, different ones apart, 0 being the first to come. Looks at the texts it was given.
class TokenTable {
 public:
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

  /// Forgets all; from now on there are at most `tokens` different ones.
  void reset(std::size_t tokens) {
    const std::size_t size = std::bit_ceil(2 * tokens + 2);  // half of it stays empty
    shift_ = 64 - std::countr_zero(size);
    slots_.assign(size, kUnknown);
    tokens_.clear();
  }

  /// The number of the token; a new one where it has none.
  std::uint32_t number(std::string_view token) {
    auto& slot = slots_[place(token)];
    if (slot == kUnknown) {
      slot = static_cast<std::uint32_t>(tokens_.size());
      tokens_.push_back(token);
    }
    return slot;
  }

  /// The same, kUnknown where it has none.
  std::uint32_t find(std::string_view token) const { return slots_[place(token)]; }

  std::size_t count() const { return tokens_.size(); }

 private:
  /// Where the token is, or the empty slot where it would be.
  std::size_t place(std::string_view token) const {
    std::size_t i = hash_(token) >> shift_;
    while (slots_[i] != kUnknown && tokens_[slots_[i]] != token) i = (i + 1) & (slots_.size() - 1);
    return i;
  }

  KeyedHash hash_;
  std::vector<std::uint32_t> slots_;
  std::vector<std::string_view> tokens_;
  int shift_ = 0;
};

}  // namespace gloss
