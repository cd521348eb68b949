#include "common/text/word_links.h"

namespace gloss {

std::string to_pharaoh(std::span<const WordLink> links) {
  std::string text;
  for (const auto& [source, target] : links) {
    if (!text.empty()) text += ' ';
    text += std::to_string(source);
    text += '-';
    text += std::to_string(target);
  }
  return text;
}

}  // namespace gloss
