#pragma once

#include <algorithm>
#include <cstdint>

namespace gloss {

/// Lengths of the two sides of a pair: pieces and eos.
struct PairLengths {
  std::int64_t source = 0, target = 0;

  std::int64_t longer() const { return std::max(source, target); }
  std::int64_t difference() const { return source - target; }
  bool operator==(const PairLengths&) const = default;
};

}  // namespace gloss
