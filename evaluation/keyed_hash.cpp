#include "evaluation/keyed_hash.h"

#include <random>

namespace gloss {

std::uint64_t KeyedHash::process_key() {
  static const std::uint64_t key = [] {
    std::random_device entropy;
    return std::uint64_t{entropy()} << 32 | entropy();
  }();
  return key;
}

}  // namespace gloss
