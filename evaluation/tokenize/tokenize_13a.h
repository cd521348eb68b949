#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gloss {

/// The text that mteval-v13a.pl's rules are for: without "<skipped>", words hyphenated over a line end joined, four
/// entities resolved. Looks at the line, or at `room` where that changes it.
std::string_view without_markup(std::string_view line, std::string& room);

/// Puts `fresh` where `old` is, from left to right.
void replace_all(std::string& text, std::string_view old, std::string_view fresh);
/// &quot; &amp; &lt; &gt; one after the other: "&amp;lt;" becomes "<".
void resolve_entities(std::string& text);

/// What sets characters apart by themselves, beside punctuation.
enum class Alone {
  kNothing,  ///< a text that stands between spaces, as sacreBLEU's "13a" has it
  kChinese,  ///< Chinese characters; nothing stands before and behind the text: sacreBLEU's "zh"
};

/// Appends the tokens of a text: ASCII punctuation is set apart, but period, comma and hyphen by the digits beside them
/// and the apostrophe not at all. White space is what Python's str.split() takes for it.
void append_western_tokens(std::string_view text, Alone alone, std::vector<std::string_view>& tokens);

}  // namespace gloss
