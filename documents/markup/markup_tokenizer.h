#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/text_span.h"

namespace gloss {

/// An attribute of a start tag.
struct MarkupAttribute {
  TextSpan name;
  TextSpan value;  ///< without quotes; empty if there is none
  char quote = 0;  ///< " or ', 0: the value has no quotes
};

/// A stretch of HTML or XHTML.
struct MarkupToken {
  enum class Kind {
    kText,      ///< text with character references
    kStartTag,  ///< <p>, <br/>
    kEndTag,    ///< </p>
    kData,      ///< text of script, style and the like; a CDATA section
    kComment,   ///< comment, doctype, processing instruction, tag without end at the end of the document
  };
  Kind kind = Kind::kText;
  TextSpan range;
  std::string name;                         ///< of a tag: lower case, in XML without the prefix of a namespace
  bool self_closing = false;                ///< the element has no end tag, because of its />
  std::vector<MarkupAttribute> attributes;  ///< at most kMaxAttributes
};

/// Splits HTML into tokens, which cover all bytes, as the tokenizer of the WHATWG standard (section 13.2.5): any input
/// is valid. A document that begins with <?xml, or with <html> in the
/// namespace of XHTML, may close any element by />.
class MarkupTokenizer {
 public:
  /// The bytes must outlive the tokenizer. Reading begins at `offset`.
  explicit MarkupTokenizer(std::string_view bytes, std::size_t offset = 0);
  /// Reads the next token. Returns false at the end.
  bool next(MarkupToken& token);

  static constexpr std::size_t kMaxAttributes = 1000;

 private:
  bool begins_markup(std::size_t offset) const;
  void read_markup(MarkupToken& token);
  void read_tag(MarkupToken& token);
  void read_attribute(MarkupToken& token);
  std::size_t after(std::string_view mark, std::size_t offset) const;
  std::size_t comment_end() const;
  std::size_t raw_text_end() const;
  std::size_t script_end() const;
  bool has_tag(std::size_t offset, std::string_view tag) const;

  std::string_view bytes_;
  std::size_t at_;
  bool is_xml_;
  std::string raw_name_;     ///< of the element whose raw text comes next
  std::size_t foreign_ = 0;  ///< number of open svg and math elements
};

/// Returns the place of an attribute's value in the first tag that begins with `tag`; empty if there is none.
TextSpan quoted_value(std::string_view bytes, std::string_view tag, std::string_view attribute);

/// Returns whether a declaration names a character encoding that is not one of Unicode.
bool is_other_charset(std::string_view name);

}  // namespace gloss
