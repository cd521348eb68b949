#include "common/text/language_tag.h"

#include <algorithm>
#include <vector>

#include "common/text/split.h"

namespace gloss {
namespace {

// Language codes of ISO 639-1 in one text: a code begins at every third place.
constexpr std::string_view kLanguageCodes =
    "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en "
    "eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv "
    "ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne "
    "ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss "
    "st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu ";

// Endings of text files that are removed before the language.
constexpr std::string_view kTextEndings[] = {".gz", ".txt", ".text", ".tok", ".raw", ".clean"};

bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alphanumeric(char c) { return is_alpha(c) || is_digit(c); }
bool all_letters(std::string_view text) { return std::ranges::all_of(text, is_alpha); }
bool all_digits(std::string_view text) { return std::ranges::all_of(text, is_digit); }

bool has_length(std::string_view text, std::size_t min, std::size_t max) {
  return text.size() >= min && text.size() <= max;
}

bool is_script(std::string_view part) { return part.size() == 4 && all_letters(part); }
bool is_region(std::string_view part) {
  return (part.size() == 2 && all_letters(part)) || (part.size() == 3 && all_digits(part));
}
bool is_variant(std::string_view part) { return has_length(part, 5, 8) || (part.size() == 4 && is_digit(part[0])); }

// Returns whether the parts from `place` on are extensions, such as "u-co-phonebk" or "x-private".
bool are_extensions(const std::vector<std::string_view>& parts, std::size_t place) {
  while (place < parts.size()) {
    const bool is_private = parts[place] == "x" || parts[place] == "X";
    if (parts[place++].size() != 1) return false;
    const auto begin = place;
    while (place < parts.size() && has_length(parts[place], is_private ? 1 : 2, 8)) ++place;
    if (place == begin) return false;
  }
  return true;
}

bool is_known_language(std::string_view code) {
  const auto place = kLanguageCodes.find(std::string(code) + ' ');
  return code.size() == 2 && place != kLanguageCodes.npos && place % 3 == 0;
}

}  // namespace

bool is_language_tag(std::string_view text) {
  const auto parts = split_text(text, '-');
  for (const auto part : parts)
    if (!has_length(part, 1, 8) || !std::ranges::all_of(part, is_alphanumeric)) return false;
  if (parts[0] == "x" || parts[0] == "X") return are_extensions(parts, 0);
  if (parts[0].size() < 2 || !all_letters(parts[0])) return false;
  std::size_t place = 1;
  if (parts[0].size() <= 3)
    for (int i = 0; i < 3 && place < parts.size() && parts[place].size() == 3 && all_letters(parts[place]); ++i)
      ++place;  // extended languages: zh-yue
  if (place < parts.size() && is_script(parts[place])) ++place;
  if (place < parts.size() && is_region(parts[place])) ++place;
  while (place < parts.size() && is_variant(parts[place])) ++place;
  return are_extensions(parts, place);
}

bool has_dotless_i(std::string_view tag) {
  const auto language = tag.substr(0, tag.find('-'));
  return language == "tr" || language == "az" || language == "tur" || language == "aze" || language == "azj";
}

std::string with_hyphens(const std::string& language) {
  auto tag = language;
  std::ranges::replace(tag, '_', '-');
  return is_language_tag(tag) ? tag : language;
}

std::string language_of_file(const std::filesystem::path& file) {
  auto name = file.filename().string();
  for (const auto ending : kTextEndings)
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  auto tag = name.substr(name.rfind('.') + 1);
  std::ranges::replace(tag, '_', '-');
  const auto parts = split_text(tag, '-');
  const bool has_script = parts.size() > 1 && is_script(parts[1]);
  const bool is_language = is_known_language(parts[0]) || (parts[0].size() == 3 && has_script);
  const auto has_region = [&](std::size_t place) {  // train.en-de names two languages
    return parts.size() == place + 1 && is_region(parts[place]) && !is_known_language(parts[place]);
  };
  const bool ends_there = parts.size() == 1 || has_region(1) || (has_script && (parts.size() == 2 || has_region(2)));
  return is_language && ends_there && is_language_tag(tag) ? tag : "";
}

}  // namespace gloss
