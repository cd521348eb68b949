#pragma once

#include <string>
#include <string_view>

namespace gloss {

/// sacreBLEU's tokenizer "13a", which is that of mteval-v13a.pl but for its handling of white space: drops
/// "<skipped>", joins words hyphenated over a line end, resolves four entities and sets punctuation apart. Returns the
/// tokens of a line joined by single spaces. White space is what Python's str.split() takes for it.
std::string tokenize_13a(std::string_view line);

/// The text without the white space at its end, as Python's str.rstrip() leaves it.
std::string_view strip_end(std::string_view text);

}  // namespace gloss
