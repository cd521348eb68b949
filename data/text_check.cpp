#include "data/text_check.h"

#include <algorithm>
#include <fstream>
#include <span>
#include <string_view>

#include "common/text/utf8.h"
#include "common/text/visible_text.h"
#include "common/text/writing.h"
#include "tokenizer/plain_text.h"

namespace gloss {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr char32_t kMark = 0xFEFF, kReplacement = 0xFFFD;

bool begins_with_mark(const std::filesystem::path& path) {
  std::string begin(kByteOrderMark.size(), '\0');
  std::ifstream(path, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == kByteOrderMark;
}

bool is_control(char32_t character) {
  return (character < 0x20 && character != '\t') || (character >= 0x7F && character < 0xA0) || character == kMark;
}

std::int64_t count_unknown(std::span<const Id> ids) { return std::ranges::count(ids, kUnk); }

}  // namespace

TextCheck::TextCheck(const std::filesystem::path& path, const Tokenizer* tokenizer, Normalization normalization)
    : tokenizer_(tokenizer), normalization_(normalization) {
  report_.begins_with_mark = begins_with_mark(path);
}

JudgedLine TextCheck::add(const TextLine& line) {
  units_ = characters_ = 0;
  is_text_ = false;
  const auto number = ++report_.lines;
  if (line.crlf) report_.windows_end.note(number);
  if (line.cut) {
    report_.cut.note(number);
  } else {
    check_characters(line.text);
    if (is_text_) {
      const auto text = visible_text(line.text);  // as training reads it
      if (text.size() < line.text.size()) report_.invisible.note(number);
      if (content_of(text) != TextContent::kNothing) count_units(text);
      report_.units += units_;
      if (units_ == 0) report_.empty.note(number);
    }
  }
  return {.cut = line.cut, .is_text = is_text_, .pieces = units_, .text = line.text};
}

void TextCheck::check_characters(std::string_view line) {
  bool valid = true, nul = false, control = false, replacement = false, separator = false;
  char32_t changed = 0;
  for_each_character(line, [&](auto value, auto) {
    ++characters_;
    const auto character = value.value_or(U' ');
    valid &= value.has_value();
    nul |= character == 0;
    separator |= is_line_separator(character);
    control |= character != 0 && is_control(character) && !is_line_separator(character);
    if (changed == 0 && is_changed_by_nfkc(character)) changed = character;
    replacement |= character == kReplacement;
  });
  is_text_ = valid && !nul;
  if (!valid) report_.invalid_utf8.note(report_.lines);
  if (nul) report_.nul.note(report_.lines);
  if (control) report_.control.note(report_.lines);
  if (separator) report_.line_separator.note(report_.lines);
  if (changed != 0 && normalization_ == Normalization::kNmtNfkc) {
    report_.changed.note(report_.lines);
    if (report_.first_changed == 0) report_.first_changed = changed;
  }
  if (replacement) report_.replacement.note(report_.lines);
}

void TextCheck::count_units(std::string_view line) {
  if (tokenizer_ == nullptr) {
    units_ = count_words(line, normalization_);
    return;
  }
  const auto ids = tokenizer_->encode(line);
  units_ = std::ssize(ids);
  const auto unknown = count_unknown(ids);
  report_.unknown_pieces += unknown;
  if (unknown == 0) return;
  report_.unknown.note(report_.lines);
  count_unknown_characters(line);
}

void TextCheck::count_unknown_characters(std::string_view line) {
  for_each_character(line, [this](auto value, std::string_view spelling) {
    const auto [found, is_new] = seen_.try_emplace(*value);
    if (is_new) found->second.known = count_unknown(tokenizer_->encode(spelling)) == 0;
    ++found->second.count;
  });
}

TextReport TextCheck::report() const {
  auto report = report_;
  for (const auto& [character, occurrences] : seen_)
    if (!occurrences.known) report.unknown_characters.emplace_back(character, occurrences.count);
  std::ranges::sort(report.unknown_characters, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return report;
}

}  // namespace gloss
