#pragma once

#include <string>

#include "documents/model/passage.h"

namespace gloss {

/// Reads a Java .properties file, in UTF-8, or in Latin-1 if it is not UTF-8. `bytes` are those of the file.
///
/// The units are the values that is_translatable_value accepts; their ids are the keys. New values have \uXXXX for
/// characters outside of ASCII, unless the file itself has such characters in UTF-8. In values with {0} a new
/// apostrophe is doubled, as MessageFormat demands, unless a value with {0} has a single one between two letters.
Passage read_properties(std::string bytes, const DocumentOptions& options);

}  // namespace gloss
