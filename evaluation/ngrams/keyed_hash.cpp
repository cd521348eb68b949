#include "evaluation/ngrams/keyed_hash.h"

#include <chrono>
#include <exception>
#include <random>

namespace gloss {

std::uint64_t KeyedHash::process_key() {
  static const std::uint64_t key = [] {
    try {
      std::random_device entropy;
      return std::uint64_t{entropy()} << 32 | entropy();
    } catch (const std::exception&) {  // for example without free descriptors: a weaker key, but the program continues
      const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
      return static_cast<std::uint64_t>(now) ^ reinterpret_cast<std::uintptr_t>(&now);
    }
  }();
  return key;
}

}  // namespace gloss
