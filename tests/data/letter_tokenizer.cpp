#include "tests/data/letter_tokenizer.h"

#include <fstream>

namespace gloss {

Ids LetterTokenizer::encode(std::string_view line) const {
  Ids ids;
  for (const char letter : line)
    if (letter != ' ') ids.push_back(4 + static_cast<unsigned char>(letter));
  return ids;
}

std::string LetterTokenizer::decode(std::span<const Id> ids) const {
  std::string text;
  for (const Id id : ids)
    if (id > kEos) text += static_cast<char>(id - 4);
  return text;
}

CorpusFiles::CorpusFiles(const std::string& source_text, const std::string& target_text) {
  std::ofstream(source(), std::ios::binary) << source_text;
  std::ofstream(target(), std::ios::binary) << target_text;
}

}  // namespace gloss
