#pragma once

#include <memory>

#include "common/files/document_input.h"
#include "documents/model/passage.h"

namespace gloss {

/// Reads a document in Markdown (CommonMark 0.31 with GFM's tables and strikethrough, footnotes and front matter) as
/// one passage. Units are paragraphs, headings, table cells and the alternative texts of images; a hard line break ends
/// a unit. Code, HTML blocks, link destinations and titles, definitions and front matter are not translated. Throws
/// DataError if the document has more than kMaxTreeBytes, and as DocumentInput.
std::unique_ptr<PassageReader> read_markdown(DocumentInput input, const DocumentOptions& options);

}  // namespace gloss
