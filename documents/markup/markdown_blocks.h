#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "common/text/text_span.h"

namespace gloss {

/// A text of Markdown with inline markup.
struct MarkdownText {
  /// kParagraph may have several lines; kHeading is a heading with #.
  enum class Kind { kParagraph, kHeading, kCell };
  Kind kind = Kind::kParagraph;
  std::vector<TextSpan> lines;  ///< without the markers of lists and quotes before them, and without line ends
};

/// The texts of a document, and the labels of its link definitions (markdown_label).
struct MarkdownBlocks {
  std::vector<MarkdownText> texts;
  std::unordered_set<std::string> labels;
};

/// Finds the texts of a document.
MarkdownBlocks find_markdown_texts(std::string_view bytes);

}  // namespace gloss
