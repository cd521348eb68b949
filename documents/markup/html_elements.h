#pragma once

#include <string_view>

namespace gloss {

/// Role of an element in a text.
enum class HtmlRole {
  kInline,         ///< a pair of tags within a text; all unknown elements
  kBlock,          ///< no unit crosses its tags
  kBlockMark,      ///< the same, without content: <br>
  kMark,           ///< without content and width: <wbr>
  kPicture,        ///< without content: <img>
  kOpaqueWord,     ///< has the place of a word, and is not translated: <code>
  kOpaquePicture,  ///< is not translated: <svg>
  kOpaqueMark,     ///< has no width, and is never translated: <script>
};
HtmlRole html_role(std::string_view element);

/// Returns whether the start tag of a block ends an open element that lacks its end tag, such as <li> another <li>.
bool ends_element(std::string_view tag, std::string_view open);

/// Returns whether an attribute has a text for people in most elements: title, alt, placeholder, aria-label.
bool is_text_attribute(std::string_view element, std::string_view attribute);

/// Returns whether a nonempty name is one of words with spaces between them.
bool is_in_words(std::string_view name, std::string_view words);

}  // namespace gloss
