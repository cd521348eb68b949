#pragma once

#include <memory>

#include "common/files/document_input.h"
#include "common/sentences/sentence_splitter.h"
#include "documents/model/passage.h"

namespace gloss {

/// Reads plain text. A unit is a line or, with kWrapped, a paragraph. A passage has about 100 lines; longer paragraphs
/// are cut at a line end after 64 KiB, so that memory does not grow with the document.
std::unique_ptr<PassageReader> read_plain_text(DocumentInput input, const DocumentOptions& options, SentenceMode mode);

}  // namespace gloss
