#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/files/document_input.h"

namespace gloss {

/// Reads the next row of a table (RFC 4180; with tabs quotes are signs like others) and moves `place` after it. White
/// space at the ends of a cell is left out, and each run of it within one becomes a space.
std::vector<std::string> next_table_row(std::string_view bytes, char separator, std::size_t& place);

/// Reads the terms of a TBX file (ISO 30042, versions 2 and 3) or of a table: CSV with commas or semicolons, or columns
/// separated by tabs. Returns pairs of a source term and its target terms, which are separated by `|`.
///
/// The first row of a table may name the languages of its columns ("en,de,comment"), or "source" and "target";
/// otherwise the first two columns are source and target. Rows and concepts that lack one of the languages are skipped.
/// Of several variants of a language equal ones are preferred (language_match). Throws DataError if the file is
/// neither, or lacks the languages.
std::vector<std::pair<std::string, std::string>> read_terms(DocumentInput input, std::string_view source_language,
                                                            std::string_view target_language);

}  // namespace gloss
