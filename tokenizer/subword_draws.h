#pragma once

#include <array>
#include <cstdint>

#include "common/random.h"

namespace gloss {

/// Random numbers of one sentence, in sequence: a function of (stream, sentence).
class SubwordDraws {
 public:
  /// A sentence may draw fewer than 2^24 numbers.
  SubwordDraws(const RandomStream& random, std::uint64_t sentence) : random_(random), next_(sentence << 24) {}

  /// Returns the next number in [0, 1).
  double next() {
    if (next_ % block_.size() == 0) block_ = random_.block(next_ / block_.size());
    return block_[next_++ % block_.size()] * 0x1p-32;
  }

 private:
  RandomStream random_;
  std::uint64_t next_;
  std::array<std::uint32_t, 4> block_{};
};

}  // namespace gloss
