#include <string_view>

#include "common/sentences/sentence_marks.h"
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
    const auto content = without_outer_space(text, line.span);
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

bool ends_with_mark(std::string_view text) {
  while (!text.empty()) {
    const auto last = last_character(text);
    const auto c = decode_utf8(text, last).value.value_or(U'\0');
    if (is_end_mark(c)) return true;
    if (!is_white_space(c) && !is_one_of(c, kClosingSigns)) return false;
    text = text.substr(0, last);
  }
  return false;
}

bool cuts_paragraph(std::size_t bytes, std::string_view line) {
  constexpr std::size_t kLong = 64 << 10, kTooLong = 1 << 20;
  return bytes > kTooLong || (bytes > kLong && ends_with_mark(line));
}

}  // namespace gloss
