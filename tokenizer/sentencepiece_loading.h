#pragma once

#include <string>
#include <string_view>

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace gloss {

/// Maximum size of a SentencePiece model.
inline constexpr std::size_t kMaxSentencePieceBytes = 64 << 20;  // bytes

/// Loads the bytes of a `.model` file as check_sentencepiece_model writes them anew, and compares the pieces. `shown`
/// is their name in messages, safe to print. Throws ModelError.
void load_sentencepiece(std::string_view bytes, const std::string& shown, sentencepiece::SentencePieceProcessor& model);

}  // namespace gloss
