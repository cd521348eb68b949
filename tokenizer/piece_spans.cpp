#include "tokenizer/piece_spans.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "common/text/split.h"
#include "common/text/utf8.h"

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

constexpr std::string_view kReplacement = "\ufffd";

/// Returns the byte that a piece such as "<0x0A>" stands for.
std::optional<char> byte_of(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece[5] != '>') return std::nullopt;
  unsigned value = 0;
  const auto* const end = piece.data() + 5;
  const auto parsed = std::from_chars(piece.data() + 3, end, value, 16);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return static_cast<char>(value);
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

void JoinedPieces::add(std::string_view piece) {
  if (const auto byte = byte_of(piece)) {
    bytes_ += *byte;
    return;
  }
  append_bytes();
  while (result_.text.empty() && piece.starts_with(kSpaceMark)) piece.remove_prefix(kSpaceMark.size());
  const auto begin = result_.text.size();
  for (auto mark = piece.find(kSpaceMark); mark != piece.npos; mark = piece.find(kSpaceMark)) {
    append(piece.substr(0, mark));
    append(" ");
    piece.remove_prefix(mark + kSpaceMark.size());
  }
  append(piece);
  result_.spans.push_back({begin, result_.text.size()});
}

void JoinedPieces::add_text(std::string_view text) {
  append_bytes();
  const auto begin = result_.text.size();
  append(text);
  result_.spans.push_back({begin, result_.text.size()});
}

void JoinedPieces::skip() { add_text(""); }

PieceSpans JoinedPieces::finish() {
  append_bytes();
  return std::move(result_);
}

void JoinedPieces::append_bytes() {
  for (std::size_t i = 0; i < bytes_.size();) {
    const auto [character, size] = decode_utf8(bytes_, i);
    const auto begin = result_.text.size();
    if (character && *character != 0) {
      for (std::size_t part = 1; part < size; ++part) result_.spans.push_back({begin, begin, true});
      append(std::string_view(bytes_).substr(i, size));
      result_.spans.push_back({begin, result_.text.size()});
    } else {
      for (std::size_t part = 0; part < size; ++part) {
        append(kReplacement);
        result_.spans.push_back({result_.text.size() - kReplacement.size(), result_.text.size()});
      }
    }
    i += size;
  }
  bytes_.clear();
}

void JoinedPieces::append(std::string_view text) {
  for (const char c : text) result_.text += c == '\n' || c == '\r' ? ' ' : c;
}

}  // namespace gloss
