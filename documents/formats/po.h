#pragma once

#include <memory>

#include "common/files/document_input.h"
#include "documents/model/passage.h"

namespace gloss {

/// Reads a gettext PO or POT file; a passage is an entry. Memory does not depend on the size of the file.
///
/// Entries without a translation get one, and the flag fuzzy. Entries that have a translation, fuzzy or not, and
/// obsolete entries stay. With overwrite_translations all but the obsolete ones are translated. A plural has as many
/// forms as the header's Plural-Forms demands: the singular's from msgid, all others from msgid_plural. The header gets
/// the charset UTF-8, and Language and Plural-Forms if it lacks them. Throws DataError naming the line if the file is
/// not PO.
std::unique_ptr<PassageReader> read_po(DocumentInput input, const DocumentOptions& options);

}  // namespace gloss
