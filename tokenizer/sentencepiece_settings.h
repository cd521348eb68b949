#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/special_ids.h"
#include "tokenizer/piece_table.h"

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

/// Settings of a SentencePiece model, besides its pieces (tokenizer/piece_table.h).
struct SentencePieceSettings {
  std::string character_map;             ///< rules of its normalization; empty: none
  bool add_dummy_prefix = true;          ///< a space is put before the text
  bool remove_extra_whitespaces = true;  ///< spaces at the ends, and runs of them
  bool escape_whitespaces = true;        ///< a space becomes U+2581
  bool whitespace_as_suffix = false;     ///< a word ends, and does not begin, with its space
  bool byte_fallback = false;            ///< unknown characters become bytes
  bool rewrites_output = false;          ///< joined pieces are normalized again
  PieceTable::Segmentation segmentation = PieceTable::Segmentation::kUnigram;
  Id pad = kPad, unk = kUnk, bos = kBos, eos = kEos;  ///< stated ids of special pieces; SentencePiece ignores them
  bool has_trainer = false, has_normalizer = false;   ///< it has its parts about training and normalization
};

/// Parses the bytes of a SentencePiece model. Throws ModelError if they are malformed.
SentencePieceSettings read_sentencepiece_settings(std::string_view model);

/// Throws ModelError("name: ...") unless a checked model has its parts about training and normalization, which follow
/// its pieces: a file that is cut between two pieces or parts lacks one.
void expect_complete_sentencepiece(std::string_view model, const std::string& name);

}  // namespace gloss
