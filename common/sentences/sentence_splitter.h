#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "common/text/text_span.h"

namespace gloss {

/// How a text is cut into sentences.
enum class SentenceMode {
  kLine,       ///< each line is a sentence
  kParagraph,  ///< each line is a paragraph of one or more sentences
  kWrapped,    ///< an empty line ends a paragraph; other line ends are spaces
};

inline constexpr std::array<std::pair<std::string_view, SentenceMode>, 3> kSentenceModes{
    {{"line", SentenceMode::kLine}, {"paragraph", SentenceMode::kParagraph}, {"wrapped", SentenceMode::kWrapped}}};

/// Finds the sentences of a paragraph. Thread-safe.
class SentenceSplitter {
 public:
  virtual ~SentenceSplitter() = default;
  /// Returns the sentences of a paragraph of valid UTF-8: ascending, disjoint, without white space at their ends.
  /// Everything between them, before and after them is white space. None for a text of white space only.
  virtual std::vector<TextSpan> sentences(std::string_view paragraph) const = 0;
};

/// Returns the splitter with the rules and the abbreviations of a language (BCP 47: "de", "pt-BR"). Of a language
/// without a list, or for "", the abbreviations of all languages count that no language has as an ordinary word.
std::shared_ptr<const SentenceSplitter> rule_splitter(std::string_view language);

/// Returns the sentences of a text of any number of lines. With kLine these are the lines without the white space at
/// their ends; lines of white space only are none. Line ends are LF, CRLF, CR and U+2029. With kWrapped a sentence may
/// contain line ends.
std::vector<TextSpan> sentence_spans(std::string_view text, SentenceMode mode, const SentenceSplitter& splitter);

/// Returns whether a text ends with the mark of a sentence, before closing quotes, brackets and white space.
bool ends_with_mark(std::string_view text);

/// Returns whether a wrapped paragraph of which `bytes` were read is cut after `line`, because it is too long to be
/// kept: from 64 KiB on after the mark of a sentence, from 1 MiB on anywhere.
bool cuts_paragraph(std::size_t bytes, std::string_view line);

}  // namespace gloss
