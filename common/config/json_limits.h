#pragma once

#include <cstddef>
#include <string_view>

#include "common/config/json.h"

namespace gloss {

/// Limits on a JSON text. A value takes up to 150 bytes of memory, but two in the text; with these, memory stays below
/// 500 MB.
struct JsonLimits {
  int depth = 32;
  /// Texts, objects, lists and members of objects; eight numbers in a list count as one of them.
  std::size_t values = 2'000'000;
};

/// Parses as parse_json of json.h, with other limits.
Json parse_json(std::string_view text, const JsonLimits& limits);

}  // namespace gloss
