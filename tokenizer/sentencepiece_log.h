#pragma once

namespace gloss {

/// Keeps SentencePiece from writing log lines to stderr. Its errors are returned as a status in any case, which becomes
/// an exception of ours.
void silence_sentencepiece();

}  // namespace gloss
