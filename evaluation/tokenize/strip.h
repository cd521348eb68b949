#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/text/split.h"

namespace gloss {

// White space is defined by is_white_space (common/text/white_space.h).

/// Returns the bytes of the white space at `offset` of UTF-8, or 0.
std::size_t white_space_at(std::string_view text, std::size_t offset);

/// Returns the text without white space at its end, as str.rstrip().
std::string_view strip_end(std::string_view text);
/// Returns the text without white space at both ends, as str.strip().
std::string_view strip(std::string_view text);
/// Returns the text with each run of white space replaced by one space, and without spaces at the ends.
std::string single_spaced(std::string_view text);

}  // namespace gloss
