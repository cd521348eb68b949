#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace gloss {

/// Splits a text at each separator and returns views of the parts; an empty text has one part. There are at most
/// `max_parts`; the last one keeps its separators.
inline std::vector<std::string_view> split_text(std::string_view text, char separator,
                                                std::size_t max_parts = std::string_view::npos) {
  std::vector<std::string_view> parts;
  for (auto end = text.find(separator); end != text.npos && parts.size() + 1 < max_parts; end = text.find(separator)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

}  // namespace gloss
