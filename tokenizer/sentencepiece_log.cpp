#include "tokenizer/sentencepiece_log.h"

namespace sentencepiece::logging {

// Not declared in any installed header. Weak: a SentencePiece that does not export it keeps its log.
[[gnu::weak]] void SetMinLogLevel(int level);

}  // namespace sentencepiece::logging

namespace gloss {

void silence_sentencepiece() {
  constexpr int kFatal = 3;
  if (sentencepiece::logging::SetMinLogLevel != nullptr) sentencepiece::logging::SetMinLogLevel(kFatal);
}

}  // namespace gloss
