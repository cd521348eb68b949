#pragma once

#include <string>

namespace gloss {

/// The version of SentencePiece that gloss was built with, as its package says it; empty where that says none. The
/// library itself knows none.
std::string sentencepiece_version();

}  // namespace gloss
