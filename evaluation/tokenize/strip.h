#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/text/white_space.h"

namespace gloss {

// White space is what is_white_space says.

/// Bytes of the white space that stands at `offset` of UTF-8, 0 where none does.
std::size_t white_space_at(std::string_view text, std::size_t offset);

/// The text without the white space at its end, as str.rstrip() leaves it.
std::string_view strip_end(std::string_view text);
/// Without that at both ends, as str.strip() leaves it.
std::string_view strip(std::string_view text);
/// One space wherever there was white space, none at the ends.
std::string single_spaced(std::string_view text);

}  // namespace gloss
