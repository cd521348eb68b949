#include "evaluation/tokenize/tokenize.h"

#include <algorithm>

#include "common/config/config_section.h"
#include "common/text/utf8.h"
#include "evaluation/tokenize/characters.h"
#include "evaluation/tokenize/strip.h"
#include "evaluation/tokenize/tokenize_13a.h"

namespace gloss {
namespace {

/// Splits like Python's str.split().
void append_words(std::string_view text, std::vector<std::string_view>& tokens) {
  TokenCutter cutter(text, tokens);
  for (std::size_t i = 0; i < text.size();) {
    const auto space = white_space_at(text, i);
    if (space > 0) cutter.skip(i, space);
    i += std::max<std::size_t>(space, 1);
  }
  cutter.end();
}

void append_characters(std::string_view text, std::vector<std::string_view>& tokens) {
  for (std::size_t i = 0; i < text.size();) {
    const auto bytes = decode_utf8(text, i).bytes;
    if (white_space_at(text, i) == 0) tokens.push_back(text.substr(i, bytes));
    i += bytes;
  }
}

/// Appends the tokens by the rules of mteval-v14.pl. They insert spaces around punctuation that follows a character
/// other than a number, around punctuation that precedes one, and around symbols. As in 13a, the first rule skips a
/// character whose predecessor it has just matched. No character precedes or follows the text.
void append_international_tokens(std::string_view text, std::vector<std::string_view>& tokens) {
  using Classes = CharacterClasses;
  const auto& table = Classes::table();
  const auto classes_of = [&](const CodePoint& point) { return point.value ? table[*point.value] : std::uint8_t{0}; };
  TokenCutter cutter(text, tokens);
  bool after_non_number = false;  // whether the first rule may apply
  for (std::size_t i = 0; i < text.size();) {
    const auto point = decode_utf8(text, i);
    const auto classes = classes_of(point);
    const auto next = i + point.bytes;
    bool taken = false;
    if (white_space_at(text, i) > 0) {
      cutter.skip(i, point.bytes);
    } else if (classes & Classes::kSymbol) {
      cutter.set_apart(i, point.bytes);
    } else if (classes & Classes::kPunctuation) {
      taken = after_non_number;
      const bool before_other = next < text.size() && !(classes_of(decode_utf8(text, next)) & Classes::kNumber);
      if (after_non_number || before_other) cutter.set_apart(i, point.bytes);
    }
    after_non_number = !taken && !(classes & Classes::kNumber);
    i = next;
  }
  cutter.end();
}

}  // namespace

std::optional<BleuTokenizer> unspaced_tokenizer(Writing writing) {
  if (writing == Writing::kSpaces) return std::nullopt;
  return writing == Writing::kChinese ? BleuTokenizer::kZh : BleuTokenizer::kChar;
}

std::string_view bleu_tokenizer_name(BleuTokenizer tokenizer) {
  return choice_name(tokenizer, Choices<BleuTokenizer>(kBleuTokenizers));
}

void append_tokens(BleuTokenizer tokenizer, std::string_view line, std::string& buffer,
                   std::vector<std::string_view>& tokens) {
  switch (tokenizer) {
    case BleuTokenizer::k13a:
      return append_western_tokens(without_markup(line, buffer), Alone::kNothing, tokens);
    case BleuTokenizer::kIntl:
      return append_international_tokens(line, tokens);
    case BleuTokenizer::kZh:
      return append_western_tokens(strip(line), Alone::kChinese, tokens);
    case BleuTokenizer::kChar:
      return append_characters(line, tokens);
    case BleuTokenizer::kNone:
      return append_words(line, tokens);
  }
}

std::string tokenize(BleuTokenizer tokenizer, std::string_view line) {
  std::string buffer, text;
  std::vector<std::string_view> tokens;
  append_tokens(tokenizer, line, buffer, tokens);
  for (const auto token : tokens) (text += text.empty() ? "" : " ") += token;
  return text;
}

}  // namespace gloss
