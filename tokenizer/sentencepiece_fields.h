#pragma once

#include <cstdint>

namespace gloss {

// Numbers of the fields of SentencePiece's sentencepiece_model.proto.

struct ModelField {
  static constexpr std::uint64_t kPieces = 1, kTrainer = 2, kNormalizer = 3, kDenormalizer = 5;
};
struct TrainerField {
  static constexpr std::uint64_t kSegmentation = 3, kVocabularySize = 4, kWhitespaceAsSuffix = 24, kByteFallback = 35,
                                 kUnkId = 40, kBosId = 41, kEosId = 42, kPadId = 43, kUnkText = 44, kUnkPiece = 45,
                                 kPadPiece = 48;
};
struct PieceField {
  static constexpr std::uint64_t kText = 1, kScore = 2, kType = 3;
};
/// The three switches of a normalizer are on if they are missing.
struct NormalizerField {
  static constexpr std::uint64_t kName = 1, kCharacterMap = 2, kAddDummyPrefix = 3, kRemoveExtraWhitespaces = 4,
                                 kEscapeWhitespaces = 5;
};

}  // namespace gloss
