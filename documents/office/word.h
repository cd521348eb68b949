#pragma once

#include <string>

#include "documents/model/passage.h"

namespace gloss {

/// Reads a part of a Word document (.docx) that has paragraphs: its body, a header or footer, notes, comments. Each
/// paragraph is a unit. Runs of equal formatting are one text, whatever else has split them. Deleted text, field codes
/// and the results of fields other than hyperlinks are kept. Throws DataError.
Passage read_word_part(std::string bytes, const DocumentOptions& options);

}  // namespace gloss
