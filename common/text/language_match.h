#pragma once

#include <string_view>

namespace gloss {

/// Returns how well a language tag of a file fits a wanted one: 2 if they are equal, 1 if one begins the other ("en"
/// and "en-US"), else 0. Case does not matter, nor whether parts are separated by hyphens or underscores.
constexpr int language_match(std::string_view wanted, std::string_view tag) {
  const auto folded = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c == '_' ? '-' : c;
  };
  const auto shorter = wanted.size() < tag.size() ? wanted.size() : tag.size();
  for (std::size_t i = 0; i < shorter; ++i)
    if (folded(wanted[i]) != folded(tag[i])) return 0;
  if (wanted.size() == tag.size()) return 2;
  const auto longer = wanted.size() > shorter ? wanted : tag;
  return shorter > 0 && folded(longer[shorter]) == '-' ? 1 : 0;
}

}  // namespace gloss
