#pragma once

#include <string>

#include "documents/model/passage.h"

namespace gloss {

// Files with the texts of programs. Each reader throws DataError if the bytes are not such a file.

/// Reads Android's strings.xml: string, string-array, plurals. Texts with translatable="false", references (@string/a)
/// and <xliff:g> are kept.
Passage read_android_strings(std::string bytes, const DocumentOptions& options);

/// Reads .resx and .resw of .NET. Values of other types than text are kept, and those of a comment with {Locked}.
Passage read_resx(std::string bytes, const DocumentOptions& options);

/// Reads .ts of Qt. Messages without a translation get one with type="unfinished", in each plural form of the language.
Passage read_qt_ts(std::string bytes, const DocumentOptions& options);

}  // namespace gloss
