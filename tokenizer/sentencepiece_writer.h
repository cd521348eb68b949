#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "tokenizer/piece_table.h"
#include "tokenizer/sentencepiece_settings.h"

namespace gloss {

/// Returns the bytes of a SentencePiece model with these pieces and settings. The ids of the special pieces are those
/// of "<pad>", "<s>" and "</s>" in the table; its piece of type kUnknown is <unk>.
std::string write_sentencepiece(const PieceTable& table, const SentencePieceSettings& settings);

/// Returns a SentencePiece model that cuts without these pieces: they get the type kUnused, and all else stays. Throws
/// ModelError if the bytes are malformed.
std::string without_pieces(std::string_view model, const std::unordered_set<std::string_view>& pieces);

}  // namespace gloss
