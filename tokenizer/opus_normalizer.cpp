#include "tokenizer/opus_normalizer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/text/utf8.h"
#include "common/unicode/unassigned_and_control.h"

namespace gloss {
namespace {

struct Rule {
  char32_t character;
  std::string_view replacement;
};

constexpr std::array<Rule, 36> kRules{
    {{U'，', ","},  {U'、', ","},  {U'”', "\""},  {U'“', "\""}, {U'《', "\""}, {U'》', "\""},
     {U'」', "\""}, {U'「', "\""}, {U'∶', ":"},   {U'：', ":"}, {U'？', "?"},  {U'！', "!"},
     {U'（', "("},  {U'）', ")"},  {U'；', ";"},  {U'０', "0"}, {U'１', "\""}, {U'２', "2"},
     {U'３', "3"},  {U'４', "4"},  {U'５', "5"},  {U'６', "6"}, {U'７', "7"},  {U'８', "8"},
     {U'９', "9"},  {U'。', ". "}, {U'．', ". "}, {U'～', "~"}, {U'’', "'"},   {U'…', "..."},
     {U'━', "-"},   {U'〈', "<"},  {U'〉', ">"},  {U'【', "["}, {U'】', "]"},  {U'％', "%"}}};

/// Returns the replacement of a character; empty if it is kept.
std::string_view replacement(char32_t character) {
  if (character >= 0x80) {
    const auto rule = std::ranges::find(kRules, character, &Rule::character);
    if (rule != kRules.end()) return rule->replacement;
  }
  return is_unassigned_or_control(character) ? " " : "";
}

/// Collects bytes. Reduces a run of spaces to one, and drops spaces at the beginning and end.
class Writer {
 public:
  void add(char byte, std::size_t begin, std::size_t end) {
    auto& [text, begins, ends] = result_;
    if (byte == ' ' && text.empty()) return;
    if (byte == ' ' && text.back() == ' ') {
      ends.back() = end;
      return;
    }
    text += byte;
    begins.push_back(begin);
    ends.push_back(end);
  }

  NormalizedText finish() {
    auto& [text, begins, ends] = result_;
    if (text.ends_with(' ')) {
      text.pop_back();
      begins.pop_back();
      ends.pop_back();
    }
    return std::move(result_);
  }

 private:
  NormalizedText result_;
};

}  // namespace

NormalizedText::Range NormalizedText::original(std::size_t begin, std::size_t end) const {
  if (begin < end) return {begins[begin], ends[end - 1]};
  const auto place = begin < begins.size() ? begins[begin] : ends.empty() ? 0 : ends.back();
  return {place, place};
}

NormalizedText opus_normalized(std::string_view line) {
  Writer writer;
  for (std::size_t begin = 0; begin < line.size();) {
    const auto [character, bytes] = decode_utf8(line, begin);
    const auto end = begin + bytes;
    const auto replaced = character ? replacement(*character) : std::string_view();
    for (const char byte : replaced.empty() ? line.substr(begin, bytes) : replaced) writer.add(byte, begin, end);
    begin = end;
  }
  return writer.finish();
}

}  // namespace gloss
