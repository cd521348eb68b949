#pragma once

#include <string>

#include "documents/markup/xml_inline.h"
#include "documents/model/passage.h"

namespace gloss {

/// Reads XLIFF 1.0 to 1.2 and 2.0 to 2.2. Units without a translation get one, marked for review: in 1.2 with
/// state="needs-review-translation" and the confidence in an alt-trans, in 2.x with state="initial" and
/// subState="gloss:mt-87" (87 %). Each segment is a unit. Throws DataError if the bytes are not XLIFF.
Passage read_xliff(std::string bytes, const DocumentOptions& options);

/// Returns the role of an element within a source.
XmlRole xliff_role(pugi::xml_node element);

}  // namespace gloss
