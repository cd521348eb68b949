#pragma once

#include <string>

#include "documents/model/passage.h"

namespace gloss {

/// Reads a document in HTML or XHTML, in UTF-8. Any input is valid.
///
/// Units are the texts between the tags of block elements and <br>, the attributes title, alt, placeholder and
/// aria-label, descriptions and keywords in <meta>, and labels of buttons. Not translated are elements for code,
/// formulas, scripts and styles, the input of <textarea>, elements with translate="no" or the class "notranslate", and
/// those whose attribute lang names another language than the source, if that is known.
/// A <pre> is taken for code if it has a class, or contains code or span elements; else each line is a sentence. The
/// language of the document is set if that of the translation is known, and a declared encoding becomes UTF-8.
Passage read_html(std::string bytes, const DocumentOptions& options);

}  // namespace gloss
