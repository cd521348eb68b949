#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace gloss {

/// Philox4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3"): four random words that are a
/// function of a counter and a key, and of nothing else.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// Random numbers without a state: every value is a function of (seed, stream name, update, micro-batch, element).
/// There is nothing to save, and what one part draws cannot disturb another. A small value; copy it freely.
///
/// Element e is word e % 4 of the block whose counter is {e / 4 low, e / 4 high, update, micro_batch}. The key is a
/// hash of the seed and the name (FNV-1a, then splitmix64). `bits` and `uniform` take a word an element, `normal` and
/// `below` a block an element: one stream serves one of the two kinds.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view name);

  /// The stream called `name` below this one, at the same update and micro-batch.
  RandomStream stream(std::string_view name) const;
  /// This stream at another update and micro-batch.
  RandomStream at(std::uint32_t update, std::uint32_t micro_batch = 0) const;

  std::array<std::uint32_t, 2> key() const { return key_; }
  std::uint32_t update() const { return update_; }
  std::uint32_t micro_batch() const { return micro_batch_; }

  /// The four words of block `index`, elements 4 * index to 4 * index + 3.
  std::array<std::uint32_t, 4> block(std::uint64_t index) const;
  /// 32 random bits.
  std::uint32_t bits(std::uint64_t element) const;
  /// A double in [0, 1) with 32 bits of precision.
  double uniform(std::uint64_t element) const;
  /// A standard normal value, by Box-Muller from the words of block `element`.
  double normal(std::uint64_t element) const;
  /// An integer in [0, bound), bound > 0, from two words of block `element`; the bias is below bound / 2^64.
  std::uint64_t below(std::uint64_t bound, std::uint64_t element) const;

  /// Fisher-Yates; the same order on every machine.
  template <typename T>
  void shuffle(std::span<T> values) const {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i, i)]);
  }

 private:
  RandomStream(std::array<std::uint32_t, 2> key, std::uint32_t update, std::uint32_t micro_batch)
      : key_(key), update_(update), micro_batch_(micro_batch) {}

  std::array<std::uint32_t, 2> key_;
  std::uint32_t update_ = 0;
  std::uint32_t micro_batch_ = 0;
};

}  // namespace gloss
