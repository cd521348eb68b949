#pragma once

#include <cstdint>

namespace gloss {

/// Numbers of the fields of NormalizerSpec in SentencePiece's sentencepiece_model.proto. The three switches are on if
/// they are missing.
struct NormalizerField {
  static constexpr std::uint64_t kName = 1, kCharacterMap = 2, kAddDummyPrefix = 3, kRemoveExtraWhitespaces = 4,
                                 kEscapeWhitespaces = 5;
};

}  // namespace gloss
