#pragma once

#include <string>

#include "documents/model/passage.h"

namespace gloss {

/// Reads a .strings file of Apple's systems: "key" = "value"; with comments. `bytes` is UTF-8.
///
/// The units are the values that is_translatable_value accepts; their ids are the keys. Throws DataError naming the
/// line if the bytes are not such a file: a property list in XML or binary form is none.
Passage read_apple_strings(std::string bytes, const DocumentOptions& options);

}  // namespace gloss
