#pragma once

#include <cstddef>
#include <string_view>

namespace gloss {

/// A range of bytes of a text, `end` excluded.
struct TextSpan {
  std::size_t begin = 0, end = 0;

  std::size_t size() const { return end - begin; }
  bool empty() const { return begin == end; }
  std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
  bool operator==(const TextSpan&) const = default;
};

}  // namespace gloss
