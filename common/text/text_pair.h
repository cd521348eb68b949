#pragma once

#include <string>

namespace gloss {

/// A text and its translation.
struct TextPair {
  std::string source, target;
  bool operator==(const TextPair&) const = default;
};

}  // namespace gloss
