#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/text/text_span.h"
#include "documents/markup/xml_document.h"
#include "documents/model/inline_text.h"
#include "documents/model/passage.h"

namespace gloss {

/// Bytes that are written: texts, and ranges of the document that are copied.
using DocumentBytes = decltype(Replacement::parts);

/// Text of a piece that is a tab. It ends a sentence, and it is copied with its bytes, in the order of the document.
inline constexpr std::string_view kTabText = "\r";

/// A piece of a paragraph of an office document: a text in one format, a tab, or an element.
struct ParagraphPiece {
  TextSpan place;  ///< its bytes, or some of them; no two pieces begin at the same byte
  std::optional<InlineElement::Kind> element = {};  ///< nothing: a text
  DocumentBytes bytes = {};                         ///< the piece with everything it needs around it
  std::string text = {};                            ///< of a text: decoded; not empty
  std::string format = {};                          ///< of a text: equal for texts that look the same; short
  std::vector<TextSpan> properties = {};            ///< of a text: the markup of its format
};

/// Pieces of a paragraph in the order of the document. Openings and closings are well nested.
using ParagraphPieces = std::vector<ParagraphPiece>;

/// Makes one piece of the pieces from `first` on.
void join_pieces(ParagraphPieces& pieces, std::size_t first, InlineElement::Kind kind);
/// Makes a pair of the piece `opening` and the last one; without text between them, they become one mark or word.
void pair_pieces(ParagraphPieces& pieces, std::size_t opening);

/// Returns a name for a format that each piece may have a copy of. Throws DataError for one of 16 KiB or more.
std::string short_format(std::string format);

/// Writes a text in the format of a piece.
using TextWriter = std::function<void(std::string_view text, const ParagraphPiece& format, DocumentBytes& bytes)>;

/// A paragraph as an inline text. Texts in the format of most of the text have no markup; texts in other formats are
/// pairs of elements. Elements before the first and after the last text are left out, and so are pairs around all text.
class StyledParagraph {
 public:
  /// `range` is replaced when the paragraph is written; the pieces are everything in it that is kept.
  StyledParagraph(ParagraphPieces pieces, TextSpan range);

  const InlineText& source() const { return source_; }  ///< empty without a letter
  /// Returns the paragraph with another text; nothing if the text and the places of its elements are the same.
  std::optional<Replacement> render(const InlineText& target, const TextWriter& write) const;

 private:
  void find_bases();
  void read_source();
  bool format_continues(std::size_t text) const;

  ParagraphPieces pieces_;
  TextSpan range_;
  std::vector<std::size_t> bases_;  ///< for each opening, and for the paragraph: a text in the format of most text
  InlineText source_;
  std::vector<std::size_t> numbers_;  ///< of the elements of source_; see read_source
  std::size_t first_ = 0, last_ = 0;  ///< pieces of source_
};

/// Returns a passage with the paragraphs that have letters as units.
Passage paragraphs_passage(std::string bytes, std::vector<StyledParagraph> paragraphs, TextWriter write);

/// Calls `take` for each element of a tree in order. Elements within one are left out if `take` returns false.
void for_each_element(pugi::xml_node root, const std::function<bool(pugi::xml_node)>& take);

/// Returns a passage whose units are the elements of a name that contain nothing but text: titles, labels.
Passage read_text_elements(std::string bytes, const DocumentOptions& options, std::string_view name);

}  // namespace gloss
