#pragma once

#include <cstddef>
#include <string>

namespace gloss {

/// Returns `label`, filled with spaces up to `width` bytes, then `text` and a line feed.
std::string labeled_line(std::string label, const std::string& text, std::size_t width);

}  // namespace gloss
