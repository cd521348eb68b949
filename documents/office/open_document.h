#pragma once

#include <string>
#include <vector>

#include "documents/model/passage.h"
#include "documents/office/zip_document.h"

namespace gloss {

/// Reads a part of an OpenDocument file (.odt, .odp): its content, or its styles with headers and footers. Each
/// paragraph or heading is a unit. Spans whose styles look the same are one text. Deleted text and fields are kept.
/// Throws DataError.
Passage read_open_document_part(std::string bytes, const DocumentOptions& options);

/// Returns the parts of an OpenDocument file that have text. Throws DataError if it is encrypted.
std::vector<ZipPart> open_document_parts(const ReadEntry& read, const DocumentOptions& options);

}  // namespace gloss
