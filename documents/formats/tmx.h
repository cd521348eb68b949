#pragma once

#include <memory>

#include "common/files/document_input.h"
#include "documents/model/passage.h"

namespace gloss {

/// Reads a TMX file; a passage is a unit (<tu>). Memory does not depend on the size of the file.
///
/// Units without a variant in the target language, or with an empty one, get one; with overwrite_translations all do.
/// The source language is that of the options, else the srclang of the header, else that of a unit's first variant.
/// Throws DataError if the options lack the target language, the file is not TMX, or a unit is not well-formed XML.
std::unique_ptr<PassageReader> read_tmx(DocumentInput input, const DocumentOptions& options);

}  // namespace gloss
