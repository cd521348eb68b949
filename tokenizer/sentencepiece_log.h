#pragma once

#include <string>
#include <string_view>

namespace gloss {

/// Suppresses SentencePiece's log lines on stderr. Its errors are returned as a status and become exceptions of gloss.
void silence_sentencepiece();

/// Returns the message of a status of SentencePiece in printable form, without the place in its sources and the
/// condition that failed: "Internal: src/a.cc(12) [x == y] Too small." becomes "Too small.". A condition without a text
/// after it stays.
std::string sentencepiece_message(std::string_view message);

}  // namespace gloss
