#pragma once

#include <string_view>

namespace gloss {

/// SentencePiece's mark of a space within a piece, U+2581.
inline constexpr std::string_view kSpaceMark = "\xE2\x96\x81";

}  // namespace gloss
