#include "tokenizer/plain_text.h"

#include <algorithm>
#include <array>

#include "common/text/split.h"

namespace gloss {
namespace {

bool spells_symbol(std::string_view behind_bracket) {
  constexpr std::array<std::string_view, 4> kNames{"s>", "/s>", "unk>", "pad>"};
  if (std::ranges::any_of(kNames, [&](auto name) { return behind_bracket.starts_with(name); })) return true;
  return behind_bracket.starts_with("0x") && behind_bracket.size() > 4 && behind_bracket[4] == '>';
}

}  // namespace

std::string without_space_marks(std::string_view text) {
  std::string result;
  for (auto position = text.find(kSpaceMark); position != text.npos; position = text.find(kSpaceMark)) {
    result.append(text.substr(0, position)) += '_';
    text.remove_prefix(position + kSpaceMark.size());
  }
  return result.append(text);
}

std::vector<std::string> split_symbol_names(std::string_view text) {
  std::vector<std::string> parts;
  for (auto bracket = text.find('<'); bracket != text.npos; bracket = text.find('<', bracket)) {
    if (!spells_symbol(text.substr(++bracket))) continue;
    parts.emplace_back(text.substr(0, bracket));
    text.remove_prefix(bracket);
    bracket = 0;
  }
  parts.emplace_back(text);
  return parts;
}

bool is_symbol_name(std::string_view text) {
  return text.starts_with('<') && spells_symbol(text.substr(1)) && text.find('>') == text.size() - 1;
}

}  // namespace gloss
