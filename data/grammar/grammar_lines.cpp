#include "data/grammar/grammar_lines.h"

#include <algorithm>

#include "common/error.h"
#include "common/text/printable.h"
#include "common/text/utf8.h"

namespace gloss::grammar {
namespace {

constexpr std::string_view kWhite = " \t\r";

}  // namespace

void Line::refuse(const std::string& what) const {
  throw DataError(std::string(file) + ", line " + std::to_string(number) + ": " + printable(what));
}

std::string_view trim(std::string_view text) {
  const auto begin = text.find_first_not_of(kWhite);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kWhite) + 1 - begin);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const auto end = text.find(separator, begin);
    parts.push_back(trim(text.substr(begin, end == std::string_view::npos ? end : end - begin)));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  for (const auto part : split(text, ' '))
    if (!part.empty()) words.emplace_back(part);
  return words;
}

std::vector<Line> grammar_lines(std::string_view text, std::string_view file) {
  if (const auto offset = first_invalid_utf8(text)) {
    const auto number = 1 + std::ranges::count(text.substr(0, *offset), '\n');
    Line{{}, static_cast<std::size_t>(number), file}.refuse("wanted UTF-8");
  }
  std::vector<Line> lines;
  std::size_t number = 0;
  for (const auto whole : split(text, '\n')) {
    ++number;
    const auto line = trim(whole.substr(0, whole.find('#')));
    if (!line.empty()) lines.push_back({line, number, file});
  }
  return lines;
}

}  // namespace gloss::grammar
