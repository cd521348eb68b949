#include "evaluation/chrf/chrf_symbols.h"

#include <cstddef>

#include "common/text/utf8.h"
#include "evaluation/tokenize/strip.h"

namespace gloss {
namespace {

constexpr char32_t kReplacementCharacter = 0xfffd;

/// Returns whether the code point is in Python's string.punctuation.
bool is_ascii_punctuation(std::uint32_t point) {
  return (point >= '!' && point <= '/') || (point >= ':' && point <= '@') || (point >= '[' && point <= '`') ||
         (point >= '{' && point <= '~');
}

}  // namespace

void ChrfSymbols::read(std::string_view line, bool with_white_space) {
  with_white_space_ = with_white_space;
  points_.clear();
  characters_.clear();
  for (std::size_t i = 0; i < line.size();) {
    std::uint32_t value = static_cast<unsigned char>(line[i]);
    if (value < 0x80) {
      ++i;
    } else {
      const auto point = decode_utf8(line, i);
      value = point.value.value_or(kReplacementCharacter);
      i += point.bytes;
    }
    points_.push_back(value);
    if (!is_white_space(value)) characters_.push_back(value);
  }
}

void ChrfSymbols::number_words(PrefixTable& table) {
  words_.clear();
  for (std::size_t begin = 0; begin < points_.size(); ++begin) {
    if (is_white_space(points_[begin])) continue;
    std::size_t end = begin + 1;
    while (end < points_.size() && !is_white_space(points_[end])) ++end;
    // "(hi)" becomes "(hi" and ")".
    const bool long_enough = end - begin > 1, mark_at_end = long_enough && is_ascii_punctuation(points_[end - 1]),
               mark_at_begin = long_enough && !mark_at_end && is_ascii_punctuation(points_[begin]);
    if (mark_at_begin) add_word(table, begin, begin + 1);
    add_word(table, mark_at_begin ? begin + 1 : begin, mark_at_end ? end - 1 : end);
    if (mark_at_end) add_word(table, end - 1, end);
    begin = end;
  }
}

void ChrfSymbols::add_word(PrefixTable& table, std::size_t begin, std::size_t end) {
  std::uint32_t number = PrefixTable::kUnknown;  // id of the empty sequence
  for (std::size_t i = begin; i < end; ++i) number = table.number(prefix_key(number, points_[i]));
  words_.push_back(number);
}

}  // namespace gloss
