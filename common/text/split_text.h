#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace gloss {

/// The parts of a text between separators, one of an empty text; they look at the text. The last of `most` keeps the
/// separators that it has.
inline std::vector<std::string_view> split_text(std::string_view text, char separator,
                                                std::size_t most = std::string_view::npos) {
  std::vector<std::string_view> parts;
  for (auto end = text.find(separator); end != text.npos && parts.size() + 1 < most; end = text.find(separator)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.push_back(text);
  return parts;
}

}  // namespace gloss
