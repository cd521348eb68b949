#pragma once

#include <string>

#include "documents/model/passage.h"

namespace gloss {

/// Reads a JSON file of strings: nested objects and lists (i18next, Vue, Home Assistant), ARB (Flutter), and messages
/// of browser extensions. `bytes` is UTF-8.
///
/// The units are the string values that is_translatable_value accepts; their ids are paths: "menu.items[2]". In ARB (a
/// key "@@locale", or a name that ends with ".arb") keys that begin with @ stay, but @@locale becomes the target
/// language. In messages of extensions (every value is an object with a "message") only those are units. New values are
/// UTF-8, or ASCII with escapes if the document is. Throws DataError with the line if it is not strict JSON, is
/// nested deeper than kMaxDepth, or has more than kMaxValues texts.
Passage read_json(std::string bytes, const DocumentOptions& options);

}  // namespace gloss
