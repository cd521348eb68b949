#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gloss {

/// Returns the text for mteval-v13a.pl's rules: without "<skipped>", with words joined that are hyphenated over a line
/// end, and with four entities resolved. It refers to the line, or to `buffer` if that changes it.
std::string_view without_markup(std::string_view line, std::string& buffer);

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
