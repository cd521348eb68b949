#pragma once

#include <string>

#include "documents/model/passage.h"

namespace gloss {

/// Reads a YAML file of strings, such as those of Rails. `bytes` is UTF-8.
///
/// The units are the scalars that are values in maps and lists, as is_translatable_value accepts them; their ids are
/// paths: "en.menu.items[2]". Keys, comments, anchors, aliases, numbers, booleans, nulls and values with tags of types
/// stay. A value keeps its style: plain, in quotes, | or >; a plain one is put in quotes if its translation needs
/// them. If the document has a single top-level key that is the source language (Rails), the target language replaces
/// it. Block scalars with an indentation indicator, and folded ones with indented lines, stay.
///
/// Throws DataError with the line if it is not YAML or nested deeper than kMaxDepth, and if it has more than 8 MiB.
/// Throws UsageError if gloss was built without yaml-cpp.
Passage read_yaml(std::string bytes, const DocumentOptions& options);

}  // namespace gloss
