#pragma once

#include <string>

namespace gloss {

/// Returns the version of SentencePiece that gloss was built with, from its package; empty if unknown. The library
/// itself does not report one.
std::string sentencepiece_version();

}  // namespace gloss
