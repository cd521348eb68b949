#include "tokenizer/sentencepiece_log.h"

#include "common/text/printable.h"

namespace sentencepiece::logging {

// Not declared in any installed header. Weak: a SentencePiece that does not export it keeps its log.
[[gnu::weak]] void SetMinLogLevel(int level);

}  // namespace sentencepiece::logging

namespace gloss {

void silence_sentencepiece() {
  constexpr int kFatal = 3;
  if (sentencepiece::logging::SetMinLogLevel != nullptr) sentencepiece::logging::SetMinLogLevel(kFatal);
}

std::string sentencepiece_message(std::string_view message) {
  if (const auto place = message.find(".cc("); place != message.npos)
    if (const auto end = message.find(") ", place); end != message.npos) message.remove_prefix(end + 2);
  if (const auto end = message.find("] "); message.starts_with('[') && end != message.npos)
    if (message.find_first_not_of(' ', end + 2) != message.npos) message.remove_prefix(end + 2);
  return printable(message);
}

}  // namespace gloss
