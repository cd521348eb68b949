#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "documents/markup/inline_builder.h"
#include "documents/markup/markdown_blocks.h"
#include "documents/model/passage.h"

namespace gloss {

/// The units of one text of Markdown.
struct MarkdownUnits {
  std::vector<PlacedText> units;  ///< may lie within an element of another: the alternative text of an image
  /// Labels for links such as [label], whose text is the label: they become [text][label] if a unit is changed.
  std::vector<Replacement> labels;
};

/// Finds the units of a text. A line end in them is LF, without the markers of lists and quotes after it.
MarkdownUnits markdown_units(std::string_view bytes, const MarkdownText& text,
                             const std::unordered_set<std::string>& labels);

}  // namespace gloss
