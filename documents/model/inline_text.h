#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/text_span.h"

namespace gloss {

/// Markup within a text: a tag or a placeholder. It is copied, not translated.
struct InlineElement {
  enum class Kind {
    kOpening,  ///< begins a pair: <b>
    kClosing,  ///< ends a pair: </b>
    kMark,     ///< has no width: a comment, <x/>, an anchor
    kWord,     ///< has the place of a word in the sentence: {name}, %s, <code>ls</code>, an image
  };
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  Kind kind = Kind::kMark;
  std::size_t offset = 0;       ///< byte of InlineText::text that it stands before, between two characters
  std::size_t partner = kNone;  ///< index of the other element of the pair; kNone: a mark, a word, or a lone tag
  TextSpan source;              ///< its bytes in the passage; empty: it has `text` instead
  std::string text;             ///< decoded, without `source`; writers escape it like the text around it
  bool in_order = false;        ///< keeps its order among the others with in_order, as the arguments of printf
  bool space_before = false, space_after = false;  ///< the source has white space there; set by `prepare`
  bool word_before = false, word_after = false;    ///< the source has a letter or digit there; set by `prepare`
};

/// A text and the elements within it. Elements are in the order of the document: offsets ascend. Pairs are well nested;
/// an opening or closing tag without partner has the kind kMark.
struct InlineText {
  std::string text;  ///< UTF-8, entities and escapes decoded
  std::vector<InlineElement> elements;
};

/// Gives each opening tag of `names` its closing tag: the innermost open one of the same name. `names` has an entry for
/// each element; those of marks and words are ignored. Tags without partner, and those whose pair would cross another,
/// become marks.
void pair_elements(InlineText& text, const std::vector<std::string>& names);

/// Returns whether pairs are well nested, offsets ascend and partners name each other: the conditions above.
bool is_well_nested(const InlineText& text);

/// Returns whether two texts have the same text, and the same elements at the same places.
bool is_unchanged(const InlineText& source, const InlineText& target);

}  // namespace gloss
