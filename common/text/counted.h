#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace gloss {

/// Returns a count with its noun: "1 pair", "0 pairs", "3 batches". The plural of `noun` ends with "s", or with "es"
/// after "s" and "tch".
template <std::integral Count>
std::string counted(Count count, std::string_view noun) {
  const bool has_sibilant = noun.ends_with('s') || noun.ends_with("tch");
  return std::to_string(count).append(" ").append(noun).append(count == 1 ? "" : has_sibilant ? "es" : "s");
}

}  // namespace gloss
