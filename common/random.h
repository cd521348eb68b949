#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace gloss {

/// Returns the FNV-1a hash of bytes, which is the same on every machine.
std::uint64_t fnv1a(std::string_view bytes);
/// Mixes 64 bits: every bit of the result depends on every bit of `value`. This is the last step of SplitMix64.
std::uint64_t mix_bits(std::uint64_t value);

/// Philox4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3"). Returns four random words that
/// depend on the counter and the key only.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// Stateless random numbers: every value is a function of (seed, stream name, update, shard, element). There is
/// no state to save, and no part of the program disturbs the numbers of another. Cheap to copy.
///
/// Element e is word e % 4 of the block whose counter is {e / 4 low, e / 4 high, update, shard}. The key is a
/// hash of the seed and the name (FNV-1a, then splitmix64). `bits` and `uniform` use one word per element, `normal` and
/// `below` one block per element. Use a stream for one of the two kinds only.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view name);

  /// Returns the child stream called `name`, at the same update and shard.
  RandomStream stream(std::string_view name) const;
  /// Returns this stream at another update and shard.
  RandomStream at(std::uint32_t update, std::uint32_t shard = 0) const;

  std::array<std::uint32_t, 2> key() const { return key_; }
  std::uint32_t update() const { return update_; }
  std::uint32_t shard() const { return shard_; }

  /// Returns the four words of block `index`: elements 4 * index to 4 * index + 3.
  std::array<std::uint32_t, 4> block(std::uint64_t index) const;
  /// Returns 32 random bits.
  std::uint32_t bits(std::uint64_t element) const;
  /// Returns a double in [0, 1) with 32 bits of precision.
  double uniform(std::uint64_t element) const;
  /// Returns a standard normal value, by Box-Muller from the words of block `element`.
  double normal(std::uint64_t element) const;
  /// Returns an integer in [0, bound) from two words of block `element`. Requires bound > 0; the bias is below bound /
  /// 2^64.
  std::uint64_t below(std::uint64_t bound, std::uint64_t element) const;

  /// Shuffles by Fisher-Yates. The order is the same on every machine.
  template <typename T>
  void shuffle(std::span<T> values) const {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i, i)]);
  }

 private:
  RandomStream(std::array<std::uint32_t, 2> key, std::uint32_t update, std::uint32_t shard)
      : key_(key), update_(update), shard_(shard) {}

  std::array<std::uint32_t, 2> key_;
  std::uint32_t update_ = 0;
  std::uint32_t shard_ = 0;
};

/// Random numbers of one sentence, in sequence: a function of (stream, sentence).
class RandomSequence {
 public:
  /// A sentence may draw fewer than 2^24 numbers.
  RandomSequence(const RandomStream& random, std::uint64_t sentence) : random_(random), next_(sentence << 24) {}

  /// Returns the next number in [0, 1).
  double next() {
    if (next_ % block_.size() == 0) block_ = random_.block(next_ / block_.size());
    return block_[next_++ % block_.size()] * 0x1p-32;
  }
  /// Returns the next number as an integer in [0, bound). Requires 0 < bound < 2^32.
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() * static_cast<double>(bound)); }

 private:
  RandomStream random_;
  std::uint64_t next_;
  std::array<std::uint32_t, 4> block_{};
};

}  // namespace gloss
