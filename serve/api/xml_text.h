#pragma once

#include <string>
#include <vector>

#include "common/sentences/sentence_splitter.h"
#include "documents/model/passage.h"

namespace gloss {

/// Roles of the elements in a text of XML: the fields of DeepL's interface. Names are as they are written.
struct XmlTextRules {
  SentenceMode mode = SentenceMode::kParagraph;
  std::vector<std::string> splitting = {}, non_splitting = {};  ///< end sentences; never do
  std::vector<std::string> ignored = {};                        ///< are not translated
  bool finds_outline = true;  ///< other elements end sentences, unless they or an element around them stand beside text
};

/// Reads a text with elements in it, or a whole document of XML. Throws ApiError 400 if it is not well-formed.
Passage read_tagged_text(std::string bytes, const XmlTextRules& rules);

}  // namespace gloss
