#pragma once

#include <vector>

#include "documents/office/zip_document.h"

namespace gloss {

/// Returns the parts of an EPUB book that have text: the package document, whose title is translated and whose language
/// is set, pages in XHTML (documents/markup/html.h), and the table of contents (NCX). Throws DataError if the book has
/// no package document.
std::vector<ZipPart> epub_parts(const ReadEntry& read, const DocumentOptions& options);

}  // namespace gloss
