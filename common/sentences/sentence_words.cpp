#include "common/sentences/sentence_words.h"

#include <algorithm>
#include <vector>

#include "common/sentences/sentence_marks.h"
#include "common/text/split.h"
#include "common/text/utf8.h"

namespace gloss {
namespace {

using Text = std::u32string_view;

std::u32string decoded(std::string_view text) {
  std::u32string points;
  for_each_character(text, [&](auto value, auto) { points += value.value_or(U'\ufffd'); });
  return points;
}

std::u32string in_lower_case(Text text) {
  std::u32string result(text);
  std::ranges::transform(result, result.begin(), lower_case);
  return result;
}

/// Returns the word at the start of a text: letters, and an apostrophe after one or two of them ("L'").
Text first_word(Text text) {
  std::size_t end = 0;
  while (end < text.size() && is_content(text[end])) ++end;
  const bool elided = end > 0 && end <= 2 && end < text.size() && is_one_of(text[end], U"'\u2019");
  return text.substr(0, elided ? end + 1 : end);
}

/// Returns the text after its first word and one space.
Text after_first_word(Text text) {
  text.remove_prefix(first_word(text).size());
  if (!text.empty() && is_white_space(text.front())) text.remove_prefix(1);
  return text;
}

/// Returns the word at the end of a text: up to white space, without quotes and brackets before it.
Text last_word(Text text) {
  auto begin = text.size();
  const auto is_unspaced = [&](std::size_t i) { return kind_of(text[i]) == CharacterKind::kUnspaced; };
  while (begin > 0 && !is_white_space(text[begin - 1]) && (is_unspaced(text.size() - 1) || !is_unspaced(begin - 1)))
    --begin;
  text.remove_prefix(begin);
  while (!text.empty() && is_one_of(text.front(), kOpeningSigns)) text.remove_prefix(1);
  return text;
}

/// Returns a text without its last word, the quotes and brackets before this, and the white space before these.
Text before_last_word(Text text) {
  while (!text.empty() && !is_white_space(text.back())) text.remove_suffix(1);
  while (!text.empty() && is_white_space(text.back())) text.remove_suffix(1);
  return text;
}

bool is_number(Text word) {
  return !word.empty() && is_ascii_digit(word.front()) &&
         std::ranges::all_of(word, [](char32_t c) { return is_ascii_digit(c) || is_one_of(c, U".,:-/\u2013"); });
}
bool is_roman(Text word) {
  return !word.empty() && std::ranges::all_of(word, [](char32_t c) { return is_one_of(c, U"IVXLCDM"); });
}

/// Returns whether a word is one letter, with marks.
bool is_initial(Text word) {
  constexpr char32_t kFirstUnspaced = 0xe00;
  constexpr auto is_mark = [](char32_t c) { return c >= 0x300 && c <= 0x36f; };
  return !word.empty() && is_letter(word.front()) && word.front() < kFirstUnspaced &&
         std::ranges::all_of(word.substr(1), is_mark);
}

/// Returns whether a word is made of short parts with periods between them: "U.S", "Ph.D", "J.-C".
bool is_dotted(Text word) {
  if (!is_one_of(U'.', word)) return false;
  std::size_t letters = 0, one_letter = 0;
  for (std::size_t i = 0; i <= word.size(); ++i) {
    if (i < word.size() && is_letter(word[i])) {
      if (++letters > 2) return false;
    } else if (i == word.size() || is_one_of(word[i], U".-")) {
      one_letter += letters == 1;
      letters = 0;
    } else {
      return false;
    }
  }
  return one_letter > 0;
}

/// Returns whether a word of the Latin alphabet has no vowel: "bzw", "Hrsg".
bool lacks_vowels(Text word) {
  constexpr auto is_consonant = [](char32_t c) { return c < 0x80 && is_letter(c) && !is_one_of(c, U"aeiouyAEIOUY"); };
  return word.size() >= 2 && std::ranges::all_of(word, is_consonant) && !is_upper_case(word[1]);
}

/// Returns whether a text begins with the month or the year of a date: 3. or 1950.
bool is_date(Text text) {
  const auto word = first_word(text);
  constexpr std::size_t kMaxMonth = 2, kYear = 4;
  if (!std::ranges::all_of(word, is_ascii_digit)) return false;
  return word.size() == kYear || (word.size() <= kMaxMonth && text.substr(word.size()).starts_with(U'.'));
}

}  // namespace

SentenceWords::SentenceWords(std::string_view language) {
  const auto code = in_lower_case(decoded(language.substr(0, language.find_first_of("-_"))));
  const auto lists = language_words();
  const auto own = std::ranges::find_if(lists, [&](const LanguageWords& words) {
    const auto codes = split_text(words.codes, ' ');
    return std::ranges::any_of(codes, [&](std::string_view other) { return decoded(other) == code; });
  });
  for (const auto& words : own != lists.end() ? std::span(own, 1) : lists) add(words, own != lists.end());
  add(shared_words(), own != lists.end());
}

void SentenceWords::add(const LanguageWords& words, bool own) {
  const auto add_class = [&](std::string_view list, Class its_class) {
    for (auto word : split_text(list, ' ')) {
      const bool ambiguous = word.ends_with('~');
      if (ambiguous) word.remove_suffix(1);
      if (!word.empty() && (own || !ambiguous)) abbreviations_.emplace(decoded(word), its_class);
    }
  };
  // The first class of a word counts.
  add_class(words.ends, Class::kEnds);
  add_class(words.never, Class::kNever);
  add_class(words.before_name, Class::kBeforeName);
  add_class(words.before_number, Class::kBeforeNumber);
  const auto add_words = [](std::string_view list, auto& set) {
    for (const auto word : split_text(list, ' '))
      if (!word.empty()) set.insert(decoded(word));
  };
  add_words(words.starters, starters_);
  add_words(words.labels, labels_);
  add_words(words.objects, objects_);
  add_words(words.reporting, reporting_);
  number_ordinals_ |= words.number_ordinals;
  roman_ordinals_ |= words.roman_ordinals;
  vowelless_words_ |= words.vowelless_words;
}

SentenceWords::Class SentenceWords::class_of(std::u32string_view word) const {
  auto found = abbreviations_.find(std::u32string(word));
  if (found == abbreviations_.end()) found = abbreviations_.find(in_lower_case(word));
  return found == abbreviations_.end() ? Class::kOrdinary : found->second;
}

/// Returns the class of the last words of a text: of "z. B", of "B", of the last part of "Dipl.-Ing" and "o.dgl".
SentenceWords::Class SentenceWords::class_at_end(std::u32string_view text, std::u32string_view word) const {
  constexpr std::size_t kMaxWords = 3, kMaxLetters = 3;
  auto result = Class::kOrdinary;
  std::u32string joined(word);
  for (std::size_t words = 0; words < kMaxWords; ++words) {
    if (const auto its_class = class_of(joined); its_class != Class::kOrdinary) result = its_class;
    text = before_last_word(text);
    const auto before = last_word(text);
    if (before.size() < 2 || before.back() != U'.' || before.find(U'.') > kMaxLetters) break;
    joined.insert(0, before);
  }
  if (result != Class::kOrdinary) return result;
  const auto part = word.find_last_of(U".-/,'\u2019\u2010\u2013");
  if (part != word.npos) return class_of(word.substr(part + 1));
  constexpr std::size_t kEnding = 3;  // "Hauptstr"
  return word.size() > kEnding ? class_of(U'-' + std::u32string(word.substr(word.size() - kEnding))) : result;
}

bool SentenceWords::starts_sentence(std::u32string_view text) const {
  const auto word = first_word(text);
  const auto after = text.substr(word.size());
  if (word.size() == 1 && after.starts_with(U'.')) return false;  // an initial
  if (starters_.contains(in_lower_case(word))) return true;
  return objects_.contains(std::u32string(first_word(after_first_word(text))));
}

bool SentenceWords::reports(std::u32string_view text) const {
  return reporting_.contains(std::u32string(first_word(after_first_word(text))));
}

bool SentenceWords::ends_after_number(const Period& period, std::u32string_view word) const {
  constexpr std::size_t kMaxOrdinal = 2, kMaxListNumber = 3;
  if (period.first_word && word.size() <= kMaxListNumber) return false;
  if (word.size() <= kMaxOrdinal && is_date(period.after)) return false;
  const bool ordinals = is_roman(word) ? roman_ordinals_ : number_ordinals_;
  const bool ordinal = is_roman(word) || word.size() <= kMaxOrdinal || is_one_of(U'.', word);
  return !ordinals || !ordinal || starts_sentence(period.after);
}

bool SentenceWords::ends_sentence(const Period& period) const {
  const auto word = last_word(period.before);
  const auto next = first_word(period.after);
  if (word.empty()) return true;
  if (is_number(word)) return ends_after_number(period, word);
  const auto its_class = class_at_end(period.before, word);
  const auto word_before = last_word(before_last_word(period.before));
  if (its_class == Class::kNever) return false;
  if (its_class == Class::kEnds) return true;
  const bool is_label = is_initial(word) && its_class == Class::kOrdinary;
  if (is_label && period.first_word) return false;
  if (is_label && labels_.contains(in_lower_case(word_before))) return true;
  const bool number_follows = is_number(next) || (is_roman(next) && !starts_sentence(period.after));
  if (its_class == Class::kBeforeNumber && number_follows) return false;
  if (is_roman(word) && word.size() > 1) return ends_after_number(period, word);
  const bool unit = !is_upper_case(word.front()) && is_number(word_before) &&
                    !period.after.substr(next.size()).starts_with(U'.');  // not 44 a. C.
  const bool short_form = its_class == Class::kBeforeName || (is_initial(word) && !unit) || is_dotted(word) ||
                          (lacks_vowels(word) && !vowelless_words_ && !unit && its_class == Class::kOrdinary);
  return !short_form || (!period.within_brackets && starts_sentence(period.after));
}

}  // namespace gloss
