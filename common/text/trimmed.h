#pragma once

#include <algorithm>
#include <string_view>

#include "common/text/split.h"

namespace gloss {

/// Returns a text without white space at its ends.
inline std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kAsciiSpace), text.size()));
  return text.substr(0, text.find_last_not_of(kAsciiSpace) + 1);  // npos + 1 is 0
}

}  // namespace gloss
