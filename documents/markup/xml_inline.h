#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "documents/markup/inline_builder.h"
#include "documents/markup/xml_document.h"
#include "documents/model/passage.h"

namespace gloss {

/// How an element within a text is treated.
struct XmlRole {
  enum class Kind {
    kPair,     ///< its tags surround text of the unit
    kOpening,  ///< an element without text that opens a pair; `name` names the pair
    kClosing,
    kMark,
    kWord,    ///< its content is not translated
    kBorder,  ///< no text crosses its tags; of read_xml_texts only
  };
  Kind kind = Kind::kPair;
  std::string name = {};
};

/// The text of an element, as a unit.
struct XmlText {
  InlineText source;
  TextSpan range;         ///< its bytes in the document
  bool is_cdata = false;  ///< they lie within a <![CDATA[ ]]>
};

using XmlRoles = std::function<XmlRole(pugi::xml_node)>;
using TextFunction = std::function<std::string(std::string_view)>;
using TextParts = std::vector<std::variant<std::string, TextSpan>>;

/// Reads the content of an element: text, elements by their roles, comments, and references of entities as words.
/// `decode` undoes the escapes that a format has besides those of XML. Nothing is returned for a text without letters.
std::optional<XmlText> read_xml_text(const XmlDocument& document, pugi::xml_node element, const XmlRoles& roles,
                                     const TextFunction& decode = {});

/// Reads the texts between the borders in an element, in their order. None of them `is_cdata`.
std::vector<XmlText> read_xml_texts(const XmlDocument& document, pugi::xml_node element, const XmlRoles& roles);

/// Returns the bytes of a translation in place of `text.range`; `encode` is the reverse of `decode`.
TextParts render_xml_text(const XmlText& text, const InlineText& target, const TextFunction& encode = {});

/// Returns the replacements that put translations in place of their sources, apart from those that are equal.
std::vector<Replacement> replace_texts(std::span<const XmlText> texts, std::span<const UnitTranslation> translations,
                                       const TextFunction& encode = {});

/// Returns the start tag without its end, > or />, and without some attributes.
std::string start_without(const XmlDocument& document, pugi::xml_node element,
                          std::span<const std::string_view> left_out);

/// Returns the replacement that sets an attribute. `value` is escaped.
Replacement set_attribute(const XmlDocument& document, pugi::xml_node element, const std::string& name,
                          std::string_view value);

/// Returns whether an element has text that is not white space.
bool has_xml_text(pugi::xml_node element);

/// Throws DataError if the root of a document has another name.
void require_root(const XmlDocument& document, std::string_view name, const DocumentOptions& options);

/// Calls `take` for each element in the order of the document, parents first.
void for_each_element(const XmlDocument& document, const std::function<void(pugi::xml_node)>& take);

}  // namespace gloss
