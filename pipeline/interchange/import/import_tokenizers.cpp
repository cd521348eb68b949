#include "pipeline/interchange/import/import_tokenizers.h"

#include <algorithm>
#include <optional>

#include "data/language_tag.h"
#include "model/storage/tensor_names.h"
#include "tokenizer/language_tags.h"
#include "tokenizer/make_tokenizer.h"
#include "tokenizer/piece_table.h"

namespace gloss {
namespace {

TokenizerType type_of(PieceTable::Segmentation segmentation) {
  switch (segmentation) {
    case PieceTable::Segmentation::kBpe:
      return TokenizerType::kBpe;
    case PieceTable::Segmentation::kCharacter:
      return TokenizerType::kChar;
    default:
      return TokenizerType::kUnigram;
  }
}

/// Sets the section `tokenizer` from a SentencePiece model and a number of pieces.
void describe_sentencepiece(TokenizerConfig& config, std::string_view sentencepiece, std::int64_t pieces) {
  const auto table = read_piece_table(sentencepiece);
  config.type = type_of(table.segmentation);
  config.byte_fallback =
      std::ranges::any_of(table.pieces, [](const Piece& piece) { return piece.type == Piece::Type::kByte; });
  config.vocabulary_size = std::max(pieces, TokenizerConfig::kMinVocabulary + (config.byte_fallback ? 256 : 0));
}

}  // namespace

void add_tokenizer(ImportedModel& model, const std::string& tensor, const MappedVocabulary& vocabulary,
                   std::string_view sentencepiece, const std::string& sentencepiece_file,
                   const std::string& vocabulary_file) {
  const MappedTokenizer tokenizer(vocabulary, sentencepiece, sentencepiece_file);
  model.tokenizers[tensor] = tokenizer.serialized();
  describe_sentencepiece(model.config.tokenizer, sentencepiece, tokenizer.vocabulary_size());
  model.report.tokenizers.push_back(
      {.name = tensor,
       .sentencepiece = sentencepiece_file,
       .vocabulary = vocabulary_file,
       .pieces = tokenizer.vocabulary_size(),
       .normalizer = vocabulary.normalizer == MappedVocabulary::Normalizer::kOpusMt ? "opus-mt" : "",
       .languages = tokenizer.languages()});
}

void set_sharing(TokenizerConfig& config, bool same_table, bool same_model) {
  config.joint = same_table && same_model;
  config.shared_ids = same_table && !same_model;
}

void set_languages(ImportedModel& model, const ImportSettings& settings) {
  auto& config = model.config;
  const auto set = [](const std::optional<std::string>& given, std::string& language) {
    if (given) language = with_hyphens(*given);
  };
  set(settings.source_language, config.data.source_language);
  set(settings.target_language, config.data.target_language);
  const Languages languages{config.data.source_language, config.data.target_language};
  const auto tokenizer = [&](const char* name) {
    const auto found = model.tokenizers.find(config.tokenizer.joint ? kJointTokenizer : name);
    return make_tokenizer(found->second, found->first);
  };
  const bool needs_target = config.tokenizer.source_tag == SourceTag::kTarget || config.tokenizer.target_tag;
  const bool needs_source = config.tokenizer.source_tag == SourceTag::kSource;
  // These throw for a language without a tag.
  if (needs_source ? !languages.source.empty() : needs_target && !languages.target.empty())
    tagged_source(tokenizer(kSourceTokenizer), config.tokenizer, languages, "");
  if (config.tokenizer.target_tag && !languages.target.empty())
    tagged_target(tokenizer(kTargetTokenizer), config.tokenizer, languages, "");
  if (needs_target && languages.target.empty())
    model.report.notes.push_back(
        needs_source ? "the model has language tags: gloss translate --source-language and --target-language name the "
                       "languages, or the same options of gloss import the default ones"
                     : "the model has language tags: gloss translate --target-language names the language, or gloss "
                       "import --target-language a default one");
}

}  // namespace gloss
