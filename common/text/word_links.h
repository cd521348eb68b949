#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>

namespace gloss {

/// A source word and a target word, numbered from 0.
struct WordLink {
  std::int64_t source = 0, target = 0;
  friend auto operator<=>(const WordLink&, const WordLink&) = default;
};

/// Returns the links in the Pharaoh format: "0-0 1-2", source and target.
std::string to_pharaoh(std::span<const WordLink> links);

}  // namespace gloss
