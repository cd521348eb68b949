#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <pugixml.hpp>

#include "common/text/text_span.h"

namespace gloss {

/// An XML document as a tree, with the byte range of each node. Entities are not expanded: values of nodes and
/// attributes are the bytes of the document (decode_xml). Names keep their prefix.
class XmlDocument {
 public:
  /// Parses bytes in UTF-8, which must outlive the document. `name` begins messages. Throws DataError with the byte if
  /// they are not well-formed, have more than kMaxTreeBytes, or are nested deeper than kMaxDepth.
  XmlDocument(std::string_view bytes, std::string name);
  XmlDocument(const XmlDocument&) = delete;
  XmlDocument& operator=(const XmlDocument&) = delete;

  pugi::xml_node root() const { return tree_.document_element(); }
  std::string_view bytes() const { return bytes_; }

  /// Returns the bytes of a node: an element with its tags, a text, a comment with its <!-- -->.
  TextSpan range(pugi::xml_node node) const;
  /// Returns the bytes between the tags of an element; empty, after the tag, for <a/>.
  TextSpan content(pugi::xml_node element) const;
  TextSpan start_tag(pugi::xml_node element) const;  ///< <a x="1">, or <a x="1"/>
  TextSpan end_tag(pugi::xml_node element) const;    ///< </a>; empty for <a/>
  bool is_empty_tag(pugi::xml_node element) const { return end_tag(element).empty(); }
  /// Returns the bytes between the quotes of an attribute; nothing if the element lacks it.
  std::optional<TextSpan> attribute_value(pugi::xml_node element, std::string_view name) const;

 private:
  struct Ranges {
    TextSpan range, content;
  };
  void find_ranges();

  std::string_view bytes_;
  std::string name_;
  pugi::xml_document tree_;
  std::unordered_map<const void*, Ranges> ranges_;  ///< by internal_object()
};

/// Returns text with the five entities of XML and character references decoded. Others stay as they are.
std::string decode_xml(std::string_view bytes);
/// Returns text with & < and > escaped, for the content of an element.
std::string escape_xml(std::string_view text);
/// Returns text with & < > and both quotes escaped, for an attribute's value.
std::string escape_xml_attribute(std::string_view text);

}  // namespace gloss
