#include "tokenizer/tokenizer_config.h"

#include <utility>

namespace gloss {
namespace {

constexpr std::int64_t kBytePieces = 256;

constexpr std::pair<std::string_view, TokenizerType> kTypes[]{
    {"bpe", TokenizerType::kBpe}, {"unigram", TokenizerType::kUnigram}, {"char", TokenizerType::kChar}};

constexpr std::pair<std::string_view, Normalization> kNormalizations[]{{"nmt_nfkc", Normalization::kNmtNfkc},
                                                                       {"identity", Normalization::kIdentity}};

}  // namespace

std::string_view normalization_name(Normalization normalization) {
  return choice_name(normalization, Choices<Normalization>(kNormalizations));
}

std::string_view tokenizer_type_name(TokenizerType type) { return choice_name(type, Choices<TokenizerType>(kTypes)); }

void TokenizerConfig::validate() const {
  const auto smallest = kSmallestVocabulary + (byte_fallback ? kBytePieces : 0);
  require(vocabulary_size >= smallest && vocabulary_size <= kLargestVocabulary, "tokenizer.vocabulary_size",
          std::to_string(smallest) + " to " + std::to_string(kLargestVocabulary), vocabulary_size);
  require(character_coverage >= 0.98 && character_coverage <= 1, "tokenizer.character_coverage", "0.98 to 1",
          character_coverage);
}

TokenizerConfig read_tokenizer_config(ConfigSection section) {
  TokenizerConfig config;
  section.read("model_file", config.model_file);
  section.read("vocabulary_size", config.vocabulary_size);
  section.read("type", config.type, Choices<TokenizerType>(kTypes));
  section.read("character_coverage", config.character_coverage);
  section.read("normalization", config.normalization, Choices<Normalization>(kNormalizations));
  section.read("byte_fallback", config.byte_fallback);
  section.read("joint", config.joint);
  section.finish();
  return config;
}

Json to_json(const TokenizerConfig& config) {
  return {{"model_file", config.model_file},
          {"vocabulary_size", config.vocabulary_size},
          {"type", tokenizer_type_name(config.type)},
          {"character_coverage", config.character_coverage},
          {"normalization", normalization_name(config.normalization)},
          {"byte_fallback", config.byte_fallback},
          {"joint", config.joint}};
}

}  // namespace gloss
