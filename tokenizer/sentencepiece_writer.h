#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

#include "tokenizer/sentencepiece_model.h"

namespace gloss {

/// Returns the bytes of a SentencePiece model with these pieces and settings. The ids of the special pieces are those
/// of "<pad>", "<s>" and "</s>" in the table; its piece of type kUnknown is <unk>.
std::string write_sentencepiece(const PieceTable& table, const SentencePieceSettings& settings);

/// Returns a SentencePiece model that cuts without these pieces: they get the type kUnused, and all else stays. Throws
/// ModelError if the bytes are malformed.
std::string without_pieces(std::string_view model, const std::unordered_set<std::string_view>& pieces);

/// Returns a SentencePiece model of gloss with the ids of Marian's own models: eos 0, unk 1, and then the other pieces
/// in their order, without pad and bos. Unused pieces at the end make `size` pieces of them; they have the names of
/// unused_piece. Lines are cut as before. Throws ModelError if the bytes are malformed.
std::string marian_sentencepiece(std::string_view model, std::int64_t size);

/// Returns the name of a piece that no text has: "<unused-4002>".
std::string unused_piece(std::int64_t id);

}  // namespace gloss
