#include "interchange/export/exported_tokenizers.h"

namespace gloss {

std::vector<std::pair<std::string, const Tokenizer*>> named_tokenizers(const TranslationModel& model) {
  const auto *const source = model.source_tokenizer.get(), *const target = model.target_tokenizer.get();
  if (source == target) return {{kJointTokenizer, source}};
  return {{kSourceTokenizer, source}, {kTargetTokenizer, target}};
}

const MappedTokenizer* as_mapped(const Tokenizer& tokenizer) {
  return dynamic_cast<const MappedTokenizer*>(&tokenizer);
}

std::vector<std::string> pieces_by_id(const Tokenizer& tokenizer) {
  std::vector<std::string> pieces;
  for (Id id = 0; id < tokenizer.vocabulary_size(); ++id) pieces.push_back(tokenizer.piece(id));
  return pieces;
}

std::string sentencepiece_bytes(const Tokenizer& tokenizer) {
  const auto* const mapped = as_mapped(tokenizer);
  return mapped == nullptr ? tokenizer.serialized() : std::string(mapped->sentencepiece());
}

}  // namespace gloss
