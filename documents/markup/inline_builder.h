#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/text_span.h"
#include "documents/model/inline_text.h"

namespace gloss {

/// A text with its bytes in the document.
struct PlacedText {
  InlineText source;
  TextSpan range;
};

/// Collects the text and the elements of a unit in the order of the document, without gaps between their bytes.
class InlineBuilder {
 public:
  /// Adds decoded text, valid UTF-8, with its bytes in the document.
  void add_text(std::string_view text, TextSpan source);
  /// Adds an element. Openings and closings of the same name become pairs; a pair without content becomes a mark.
  void add_element(InlineElement::Kind kind, TextSpan source, std::string name = {});
  /// Adds the closing of a pair. One without letters and digits, such as <b>!</b>, becomes a word, and so does a
  /// reference without letters, such as <sup>1</sup>.
  void end_pair(TextSpan source, std::string name, bool is_reference);
  /// Adds a word that stays outside a unit if it is at an end: an image, an input field.
  void add_picture(TextSpan source);

  /// Returns what was added since the last call. White space, marks and pictures at the ends are left out, and so are
  /// pairs around the whole text. Returns nothing if the text has no letter, or is not UTF-8.
  std::optional<PlacedText> finish();

 private:
  struct Piece {
    TextSpan text;                               ///< of text_.text
    TextSpan source;                             ///< in the document
    std::size_t element = InlineElement::kNone;  ///< of text_.elements
    bool is_content = false;                     ///< text or word

    /// Returns whether it is a text without character references.
    bool is_verbatim() const { return element == InlineElement::kNone && text.size() == source.size(); }
  };
  std::optional<std::size_t> opening_of_signs(std::string_view name, bool may_have_digits) const;
  void join_from(std::size_t piece, std::size_t end);
  std::optional<PlacedText> trimmed() const;

  InlineText text_;
  std::vector<std::string> names_;  ///< of the elements
  std::vector<Piece> pieces_;
  std::vector<std::size_t> piece_of_;  ///< of each element
};

/// Names places of a document by their lines: "line 12".
class LineNames {
 public:
  explicit LineNames(std::string_view bytes) : bytes_(bytes) {}
  /// Returns the name of the line of an offset, which is not less than the one before.
  std::string of(std::size_t offset);

 private:
  std::string_view bytes_;
  std::size_t offset_ = 0, line_ = 1;
};

}  // namespace gloss
