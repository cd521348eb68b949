#pragma once

#include <string>
#include <string_view>

#include "common/special_ids.h"
#include "tokenizer/piece_table.h"

namespace gloss {

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
