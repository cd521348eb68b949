#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gloss {

/// Returns a SentencePiece model of gloss with the ids of Marian's own models: eos 0, unk 1, and then the other pieces
/// in their order, without pad and bos. Unused pieces at the end make `size` pieces of them; they have the names of
/// unused_piece. Lines are cut as before. Throws ModelError if the bytes are malformed.
std::string marian_sentencepiece(std::string_view model, std::int64_t size);

/// Returns the name of a piece that no text has: "<unused-4002>".
std::string unused_piece(std::int64_t id);

}  // namespace gloss
