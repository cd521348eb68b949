#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/files/protobuf.h"
#include "common/special_ids.h"

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

/// A piece of a SentencePiece model. The values of Type are those of its protocol.
struct Piece {
  enum class Type : std::uint64_t { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };

  std::string text;
  float score = 0;
  Type type = Type::kNormal;
};

/// The segmentation algorithm of a model, and its pieces by id.
struct PieceTable {
  enum class Segmentation : std::uint64_t { kUnigram = 1, kBpe = 2, kWord = 3, kCharacter = 4 };

  Segmentation segmentation = Segmentation::kUnigram;
  std::vector<Piece> pieces;
};

/// Calls `take` for each field of a SentencePiece model. Throws ModelError if the bytes are malformed, also by
/// BrokenProtobuf of `take`.
void for_each_field(std::string_view model, const std::function<void(const ProtobufFields::Field&)>& take);

/// Parses the message of one piece. Throws BrokenProtobuf.
Piece read_piece(std::string_view message);
/// Parses the bytes of a SentencePiece model. Throws ModelError if they are malformed.
PieceTable read_piece_table(std::string_view model);

/// Returns the characters of valid UTF-8.
std::vector<std::string_view> characters_of(std::string_view text);

/// Settings of a SentencePiece model, besides its pieces.
struct SentencePieceSettings {
  std::string normalizer;                ///< name of its normalization; empty: none is stated
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

/// Validates the bytes of a SentencePiece model and returns the same model, written anew from what was read. Throws
/// ModelError("name: ...") unless they are a well-formed protocol buffer with pieces (each once, short UTF-8, finite
/// score, known type) and normalization tables without circles, long texts or references outside of them. SentencePiece
/// itself trusts its files: a crafted one makes it read out of bounds. It gets the new bytes only, so that nothing that
/// gloss overlooks or reads otherwise reaches it.
std::string check_sentencepiece_model(std::string_view bytes, const std::string& name);

}  // namespace gloss
