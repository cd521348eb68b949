#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gloss {

/// SentencePiece writes U+2581 for a space and would read one in a text as a space. As plain text it is read as the low
/// line that it looks like.
std::string without_space_marks(std::string_view text);

/// SentencePiece's trainer takes a symbol's name in its text ("<s>", "</s>", "<unk>", "<pad>", "<0x0A>") for the symbol
/// and learns none of its characters. Cut behind the "<", the name is plain text.
std::vector<std::string> split_symbol_names(std::string_view text);

}  // namespace gloss
