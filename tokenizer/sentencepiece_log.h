#pragma once

namespace gloss {

/// Suppresses SentencePiece's log lines on stderr. Its errors are returned as a status and become exceptions of gloss.
void silence_sentencepiece();

}  // namespace gloss
