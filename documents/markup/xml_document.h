#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pugixml.hpp>

#include "common/text/text_span.h"

namespace gloss {

/// An XML document as a tree, with the byte range of each node. Entities are not expanded: values of nodes and
/// attributes are the bytes of the document (decode_xml). Names keep their prefix.
class XmlDocument {
 public:
  /// Parses bytes in UTF-8, which must outlive the document. `name` begins messages. Throws DataError with the byte if
  /// they are not well-formed, have more than kMaxTreeBytes, or are nested deeper than kMaxDepth; and if the XML
  /// declaration names an encoding other than UTF-8 and UTF-16.
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
  /// Byte ranges of a node, small because a document may have millions of them.
  struct Ranges {
    std::uint32_t key = 0;  ///< the node's offset_debug()
    std::uint32_t begin = 0, content_begin = 0, content_end = 0, end = 0;
  };
  void check_encoding() const;
  void find_ranges();
  Ranges opened(pugi::xml_node node) const;
  const Ranges& ranges_of(pugi::xml_node node) const;

  std::string_view bytes_;
  std::string name_;
  pugi::xml_document tree_;
  std::vector<Ranges> ranges_;  ///< ascending by key
};

/// Returns text with the five entities of XML and references of characters decoded. Others stay as they are.
std::string decode_xml(std::string_view bytes);
/// Returns the text of an element, decoded, without that of the elements in it.
std::string xml_text(pugi::xml_node element);
/// Returns text with & < and > escaped, for the content of an element.
std::string escape_xml(std::string_view text);
/// Returns text with & < >, both quotes, tabs and line ends escaped, for an attribute's value.
std::string escape_xml_attribute(std::string_view text);

}  // namespace gloss
