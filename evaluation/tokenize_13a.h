#pragma once

#include <string>
#include <string_view>

namespace gloss {

/// sacreBLEU's tokenizer "13a", which is that of mteval-v13a.pl but for its handling of white space: drops
/// "<skipped>", joins words hyphenated over a line end, resolves four entities and sets punctuation apart. Returns the
/// tokens of a line joined by single spaces. White space is what Python's str.split() takes for it.
std::string tokenize_13a(std::string_view line);

/// The last part of 13a, which other tokenizers share: sets punctuation apart, and period, comma and hyphen by the
/// digits beside them. Returns the tokens joined by single spaces.
std::string set_punctuation_apart(std::string_view line);

}  // namespace gloss
