#include "tokenizer/sentencepiece_loading.h"

#include <sentencepiece_processor.h>

#include "common/error.h"
#include "common/text/printable.h"
#include "tokenizer/sentencepiece_check.h"
#include "tokenizer/sentencepiece_log.h"

namespace gloss {

void load_sentencepiece(std::string_view bytes, const std::string& shown,
                        sentencepiece::SentencePieceProcessor& model) {
  silence_sentencepiece();
  check_sentencepiece_model(bytes, shown);
  const auto status = model.LoadFromSerializedProto(bytes);
  if (!status.ok())
    throw ModelError(shown +
                     ": wanted a SentencePiece model, but it cannot be loaded: " + printable(status.ToString()));
}

}  // namespace gloss
