#include "tokenizer/tokenizer_config.h"

#include <set>
#include <utility>

#include "common/config/settings.h"
#include "common/text/printable.h"
#include "common/text/split.h"
#include "common/text/utf8.h"
#include "tokenizer/plain_text.h"

namespace gloss {
namespace {

constexpr std::int64_t kBytePieces = 256;

constexpr std::pair<std::string_view, TokenizerType> kTypes[]{
    {"bpe", TokenizerType::kBpe}, {"unigram", TokenizerType::kUnigram}, {"char", TokenizerType::kChar}};

constexpr std::pair<std::string_view, Normalization> kNormalizations[]{{"nmt_nfkc", Normalization::kNmtNfkc},
                                                                       {"identity", Normalization::kIdentity}};

constexpr std::pair<std::string_view, SourceTag> kSourceTags[]{
    {"none", SourceTag::kNone}, {"source", SourceTag::kSource}, {"target", SourceTag::kTarget}};

bool has_white_space(std::string_view text) {
  for (std::size_t offset = 0; offset < text.size();) {
    const auto [character, bytes] = decode_utf8(text, offset);
    if (is_white_space(*character)) return true;
    offset += bytes;
  }
  return count_words(text, Normalization::kNmtNfkc) != 1;  // more characters become spaces or are removed
}

void validate_symbols(const std::vector<std::string>& symbols) {
  constexpr auto kKey = "tokenizer.symbols";
  constexpr auto kMaxSymbols = TokenizerConfig::kMaxSymbols, kMaxBytes = TokenizerConfig::kMaxSymbolBytes;
  require(symbols.size() <= kMaxSymbols, kKey, "at most " + std::to_string(kMaxSymbols) + " texts", symbols.size());
  std::set<std::string_view> seen;
  for (const auto& symbol : symbols) {
    require(is_text(symbol), kKey, "UTF-8 without NUL", printable(symbol));
    require(!symbol.empty() && symbol.size() <= kMaxBytes, kKey,
            "texts of 1 to " + std::to_string(kMaxBytes) + " bytes", symbol);
    require(!has_white_space(symbol) && without_space_marks(symbol) == symbol, kKey,
            "texts without white space and U+2581, which stands for a space", symbol);
    require(!is_symbol_name(symbol), kKey, "other texts than the names of SentencePiece's own symbols", symbol);
    require(seen.insert(symbol).second, kKey, "each text once", symbol);
  }
}

}  // namespace

std::string_view normalization_name(Normalization normalization) {
  return choice_name(normalization, Choices<Normalization>(kNormalizations));
}

std::string_view tokenizer_type_name(TokenizerType type) { return choice_name(type, Choices<TokenizerType>(kTypes)); }

const Settings<TokenizerConfig>& tokenizer_settings() {
  using Config = TokenizerConfig;
  static const Settings<Config> settings(
      "tokenizer",
      {{path_field(&Config::model_file),
        {.key = "model_file",
         .help = "a SentencePiece model to use as it is; then only `joint` and `symbols` have an effect"}},
       {field(&Config::vocabulary_size),
        {.key = "vocabulary_size",
         .help = "number of pieces, special symbols included; with `char` the maximum number",
         .range = between(Config::kMinVocabulary, Config::kMaxVocabulary),
         .flag = "--vocabulary-size",
         .group = "Tokenizer"}},
       {choice_field(&Config::type, kTypes),
        {.key = "type", .help = "algorithm that chooses the pieces", .flag = "--type", .group = "Tokenizer"}},
       {field(&Config::character_coverage),
        {.key = "character_coverage",
         .help = "share of the text's characters that get a piece; 0.9995 suits Chinese and Japanese",
         .range = between(0.98, 1),
         .flag = "--character-coverage",
         .group = "Tokenizer"}},
       {choice_field(&Config::normalization, kNormalizations),
        {.key = "normalization",
         .help = "`nmt_nfkc`: Unicode's NFKC and more; `identity`: none, which suits Chinese and Japanese",
         .flag = "--normalization",
         .group = "Tokenizer"}},
       {field(&Config::byte_fallback),
        {.key = "byte_fallback",
         .help = "spell characters without a piece as bytes instead of the unknown word",
         .flag = "--byte-fallback",
         .group = "Tokenizer"}},
       {field(&Config::symbols),
        {.key = "symbols",
         .help = "strings that are one piece each, such as a tag `<BT>` at the start of synthetic sources",
         .identity = Identity::kUnlessDefault}},
       {field(&Config::joint),
        {.key = "joint", .help = "one vocabulary for both languages; false trains two tokenizers"}},
       {field(&Config::shared_ids),
        {.key = "shared_ids",
         .help = "two tokenizers that have one table of ids; an imported model sets it",
         .identity = Identity::kUnlessDefault}},
       {choice_field(&Config::source_tag, kSourceTags),
        {.key = "source_tag",
         .help = "the language whose tag begins each source; an imported model sets it",
         .identity = Identity::kUnlessDefault}},
       {field(&Config::target_tag),
        {.key = "target_tag",
         .help = "each target begins with the tag of its language; an imported model sets it",
         .identity = Identity::kUnlessDefault}}});
  return settings;
}

void TokenizerConfig::validate() const {
  tokenizer_settings().validate(*this);
  validate_symbols(symbols);
  const auto smallest = kMinVocabulary + (byte_fallback ? kBytePieces : 0) + std::ssize(symbols);
  require(vocabulary_size >= smallest, "tokenizer.vocabulary_size",
          "a whole number from " + std::to_string(smallest) + ", since each byte and symbol needs a piece",
          vocabulary_size);
  require(!shared_ids || !joint, "tokenizer.shared_ids", {"false beside ", Key{"tokenizer.joint"}, " true"},
          shared_ids);
}

TokenizerConfig read_tokenizer_config(ConfigSection section) { return tokenizer_settings().read(std::move(section)); }

Json to_json(const TokenizerConfig& config) { return tokenizer_settings().to_json(config); }

}  // namespace gloss
