#include "tokenizer/sentencepiece_version.h"

namespace gloss {

std::string sentencepiece_version() { return GLOSS_SENTENCEPIECE_VERSION; }

}  // namespace gloss
