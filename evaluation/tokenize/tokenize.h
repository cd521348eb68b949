#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/text/writing.h"

namespace gloss {

/// BLEU's tokenizers; the names are those of sacreBLEU.
enum class BleuTokenizer {
  k13a,   ///< mteval-v13a.pl's, for languages with spaces
  kIntl,  ///< mteval-v14.pl's: punctuation and symbols of all scripts
  kZh,    ///< each Chinese character is a token; the rest as 13a without its entities
  kChar,  ///< each character
  kNone,  ///< separated by white space
};

/// Names in sacreBLEU's signatures and options.
inline constexpr std::array<std::pair<std::string_view, BleuTokenizer>, 5> kBleuTokenizers{
    {{"13a", BleuTokenizer::k13a},
     {"intl", BleuTokenizer::kIntl},
     {"zh", BleuTokenizer::kZh},
     {"char", BleuTokenizer::kChar},
     {"none", BleuTokenizer::kNone}}};
std::string_view bleu_tokenizer_name(BleuTokenizer tokenizer);
/// Returns the tokenizer for text whose words have no spaces between them; nothing for other text.
std::optional<BleuTokenizer> unspaced_tokenizer(Writing writing);

/// Appends the tokens of a line of UTF-8. They refer to the line, or to `buffer` if the tokenizer changes the text.
void append_tokens(BleuTokenizer tokenizer, std::string_view line, std::string& buffer,
                   std::vector<std::string_view>& tokens);

/// Returns the tokens of a line, joined by single spaces.
std::string tokenize(BleuTokenizer tokenizer, std::string_view line);

// The rules that BLEU's tokenizers and TER's share.

/// Replaces each `old` by `fresh`, from left to right.
void replace_all(std::string& text, std::string_view old, std::string_view fresh);
/// Resolves &quot; &amp; &lt; &gt; in this order: "&amp;lt;" becomes "<".
void resolve_entities(std::string& text);

/// Characters that are separate tokens, besides punctuation.
enum class Alone {
  kNothing,  ///< no others; the text is surrounded by spaces, as in sacreBLEU's "13a"
  kChinese,  ///< Chinese characters; the text is not surrounded by spaces: sacreBLEU's "zh"
};

/// Appends the tokens of a text. ASCII punctuation is separated, but period, comma and hyphen depending on adjacent
/// digits, and the apostrophe never. White space is defined as in Python's str.split().
void append_western_tokens(std::string_view text, Alone alone, std::vector<std::string_view>& tokens);

}  // namespace gloss
