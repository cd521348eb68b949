#include <string_view>

#include "common/sentences/sentence_splitter.h"
#include "common/text/split.h"
#include "common/text/utf8.h"

namespace gloss {
namespace {

/// A line without its end. The next line begins at `next`.
struct Line {
  TextSpan span;
  std::size_t next = 0;
  bool ends_paragraph = false;  ///< its end is U+2029
};

Line line_at(std::string_view text, std::size_t begin) {
  constexpr std::string_view kParagraphEnd = "\xe2\x80\xa9";
  for (auto end = begin;; ++end) {
    end = text.find_first_of("\n\r\xe2", end);
    if (end == text.npos) return {{begin, text.size()}, text.size()};
    if (text[end] == '\n') return {{begin, end}, end + 1};
    if (text[end] == '\r') return {{begin, end}, text.substr(end).starts_with("\r\n") ? end + 2 : end + 1};
    if (text.substr(end).starts_with(kParagraphEnd)) return {{begin, end}, end + kParagraphEnd.size(), true};
  }
}

/// Returns a span without the white space at its ends.
TextSpan trimmed(std::string_view text, TextSpan span) {
  while (!span.empty()) {
    const auto [value, bytes] = decode_utf8(text, span.begin);
    if (!is_white_space(value.value_or(U'\ufffd'))) break;
    span.begin += bytes;
  }
  while (!span.empty()) {
    const auto last = span.begin + last_character(span.of(text));
    if (!is_white_space(decode_utf8(text, last).value.value_or(U'\ufffd'))) break;
    span.end = last;
  }
  return span;
}

}  // namespace

std::vector<TextSpan> sentence_spans(std::string_view text, SentenceMode mode, const SentenceSplitter& splitter) {
  std::vector<TextSpan> spans;
  TextSpan paragraph;
  const auto add_paragraph = [&] {
    for (const auto& sentence : splitter.sentences(paragraph.of(text)))
      spans.push_back({paragraph.begin + sentence.begin, paragraph.begin + sentence.end});
    paragraph = {};
  };
  for (std::size_t begin = 0; begin < text.size();) {
    const auto line = line_at(text, begin);
    begin = line.next;
    const auto content = trimmed(text, line.span);
    if (!content.empty()) {
      if (mode == SentenceMode::kLine) spans.push_back(content);
      paragraph = {paragraph.empty() ? content.begin : paragraph.begin, content.end};
    }
    const bool ends = mode == SentenceMode::kParagraph || content.empty() || line.ends_paragraph;
    if (mode != SentenceMode::kLine && ends) add_paragraph();
  }
  if (mode != SentenceMode::kLine) add_paragraph();
  return spans;
}

}  // namespace gloss
