#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/config/config_section.h"
#include "common/config/setting.h"

namespace gloss {

enum class TokenizerType { kBpe, kUnigram, kChar };

/// Returns the type's name in SentencePiece and in the run file.
std::string_view tokenizer_type_name(TokenizerType type);

/// Normalization of characters before a line is cut into pieces.
enum class Normalization {
  kNmtNfkc,   ///< Unicode's NFKC, and more kinds of white space; makes full-width punctuation ASCII's
  kIdentity,  ///< no change: for Chinese and Japanese, whose punctuation is full-width
};
std::string_view normalization_name(Normalization normalization);

/// The language whose tag precedes the pieces of each source.
enum class SourceTag {
  kNone,
  kSource,  ///< as in M2M100 and NLLB
  kTarget,  ///< as in OPUS-MT models of several target languages
};

/// The section `tokenizer` of the run file.
struct TokenizerConfig {
  static constexpr std::int64_t kMinVocabulary = 5;  ///< pad, unk, bos, eos and a piece
  static constexpr std::int64_t kMaxVocabulary = 1'000'000;
  static constexpr std::size_t kMaxPieceBytes = 1000;  ///< a file with a longer piece is refused
  static constexpr std::size_t kMaxSymbols = 100;
  static constexpr std::size_t kMaxSymbolBytes = 64;  ///< SentencePiece's limit (check_sentencepiece_model)

  std::string model_file;                ///< a SentencePiece model to use as it is; empty: train one on the corpus
  std::int64_t vocabulary_size = 10000;  ///< pieces, special symbols included; for char at most that many
  TokenizerType type = TokenizerType::kBpe;
  double character_coverage = 1.0;  ///< share of the characters' occurrences that get a piece, 0.98 to 1
  Normalization normalization = Normalization::kNmtNfkc;
  bool byte_fallback = false;        ///< spell unknown characters as bytes
  std::vector<std::string> symbols;  ///< texts that are one piece each: user-defined symbols of SentencePiece
  bool joint = true;                 ///< one tokenizer for both languages
  bool shared_ids = false;           ///< two tokenizers that have the same pieces by id
  SourceTag source_tag = SourceTag::kNone;
  bool target_tag = false;  ///< each target begins with the tag of its language

  /// Throws UsageError naming the key if a value is wrong.
  void validate() const;
};

/// Returns the declarations of the section's keys.
const Settings<TokenizerConfig>& tokenizer_settings();

/// Reads the section. Throws UsageError if a key is unknown or of the wrong type; validate() checks ranges.
TokenizerConfig read_tokenizer_config(ConfigSection section);
Json to_json(const TokenizerConfig& config);

}  // namespace gloss
