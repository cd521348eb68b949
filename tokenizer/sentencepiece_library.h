#pragma once

#include <string>
#include <string_view>

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace gloss {

/// Returns the version of SentencePiece that gloss was built with, from its package; empty if unknown. The library
/// itself does not report one.
std::string sentencepiece_version();

/// Suppresses SentencePiece's log lines on stderr. Its errors are returned as a status and become exceptions of gloss.
void silence_sentencepiece();

/// Returns the message of a status of SentencePiece in printable form, without the place in its sources and the
/// condition that failed: "Internal: src/a.cc(12) [x == y] Too small." becomes "Too small.". A condition without a text
/// after it stays.
std::string sentencepiece_message(std::string_view message);

/// Maximum size of a SentencePiece model.
inline constexpr std::size_t kMaxSentencePieceBytes = 64 << 20;  // bytes

/// Loads the bytes of a `.model` file as check_sentencepiece_model writes them anew, and compares the pieces. `shown`
/// is their name in messages, safe to print. Throws ModelError.
void load_sentencepiece(std::string_view bytes, const std::string& shown, sentencepiece::SentencePieceProcessor& model);

}  // namespace gloss
