#include "tokenizer/piece_spans.h"

#include <algorithm>

#include "common/text/split.h"

namespace gloss {
namespace {

constexpr bool separates_words(char c) { return kAsciiSpace.find(c) != std::string_view::npos; }

/// Returns the byte range of each word.
std::vector<PieceSpans::Span> word_ranges(std::string_view text) {
  std::vector<PieceSpans::Span> words;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (separates_words(text[i])) continue;
    if (i == 0 || separates_words(text[i - 1])) words.push_back({i, i});
    words.back().end = i + 1;
  }
  return words;
}

}  // namespace

PieceWords words_of(const PieceSpans& pieces) {
  const auto words = word_ranges(pieces.text);
  PieceWords result;
  for (const auto& word : words) result.words.push_back(pieces.text.substr(word.begin, word.end - word.begin));
  for (const auto& piece : pieces.spans) {
    // The range of words that end after the piece's beginning and begin before its end.
    const auto first = std::ranges::upper_bound(words, piece.begin, {}, &PieceSpans::Span::end);
    const auto last = std::ranges::lower_bound(words, piece.end, {}, &PieceSpans::Span::begin);
    const auto begin = static_cast<std::size_t>(first - words.begin());
    const auto end = static_cast<std::size_t>(last - words.begin());
    const bool writes = piece.begin < piece.end;
    result.of_piece.push_back({begin, writes ? std::max(begin, end) : begin});
  }
  for (std::size_t i = pieces.spans.size(); i-- > 1;)
    if (pieces.spans[i - 1].of_next) result.of_piece[i - 1] = result.of_piece[i];
  return result;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (const auto& word : word_ranges(text)) words.emplace_back(text.substr(word.begin, word.end - word.begin));
  return words;
}

}  // namespace gloss
