#include "interchange/import/import_tokenizers.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "common/error.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "model/storage/tensor_names.h"
#include "tokenizer/language_tags.h"
#include "tokenizer/make_tokenizer.h"
#include "tokenizer/piece_table.h"
#include "tokenizer/sentencepiece_writer.h"

namespace gloss {
namespace {

constexpr double kMaxUnknownPercent = 5;  // of a SentencePiece model's pieces that a vocabulary may lack

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

void add_tokenizer(ImportedModel& model, const ImportSettings& settings, const std::string& tensor,
                   const MappedVocabulary& vocabulary, std::string_view sentencepiece,
                   const std::string& sentencepiece_file, const std::string& vocabulary_file) {
  FoundTokenizer found{.name = tensor,
                       .sentencepiece = sentencepiece_file,
                       .vocabulary = vocabulary_file,
                       .pieces = std::ssize(vocabulary.pieces),
                       .normalizer = vocabulary.normalizer == MappedVocabulary::Normalizer::kOpusMt ? "opus-mt" : ""};
  const auto cut = read_piece_table(sentencepiece);
  const std::unordered_set<std::string_view> known(vocabulary.pieces.begin() + kSpecialIds, vocabulary.pieces.end());
  std::unordered_set<std::string_view> unknown;
  std::int64_t count = 0;
  for (const auto& piece : cut.pieces) {
    if (piece.type != Piece::Type::kNormal && piece.type != Piece::Type::kUserDefined) continue;
    ++count;
    if (!known.contains(piece.text)) unknown.insert(piece.text);
  }
  found.unknown_pieces = std::ssize(unknown);
  const auto percent =
      100.0 * static_cast<double>(unknown.size()) / static_cast<double>(std::max<std::int64_t>(count, 1));
  const auto share = std::to_string(unknown.size()) + " of " + std::to_string(count) + " pieces of " +
                     sentencepiece_file + " (" + formatted("%.2g", percent) + " %)";
  if (percent > kMaxUnknownPercent && !settings.allow_other_tokenizer)
    model.report.refusals.add(vocabulary_file + ": wanted the pieces of " + sentencepiece_file + ", but lacks " +
                              share + "; name files that belong together, or set --allow-other-tokenizer");
  else if (!unknown.empty())
    model.report.notes.push_back(vocabulary_file + " lacks " + share +
                                 "; gloss cuts without them, where other programs have <unk>");
  const MappedTokenizer tokenizer(vocabulary,
                                  unknown.empty() ? std::string(sentencepiece) : without_pieces(sentencepiece, unknown),
                                  sentencepiece_file);
  model.tokenizers[tensor] = tokenizer.serialized();
  describe_sentencepiece(model.config.tokenizer, sentencepiece, tokenizer.vocabulary_size());
  found.languages = tokenizer.languages();
  model.report.tokenizers.push_back(std::move(found));
}

void set_sharing(TokenizerConfig& config, bool same_table, bool same_model) {
  config.joint = same_table && same_model;
  config.shared_ids = same_table && !same_model;
}

void set_languages(ImportedModel& model, const ImportSettings& settings) {
  auto& config = model.config;
  const auto set = [](const std::optional<std::string>& given, std::string& language, const char* key) {
    if (!given) return;
    language = with_hyphens(*given);
    if (!language.empty() && !is_language_tag(language))
      throw UsageError(
          {Key{key}, ": wanted a language tag, such as en, pt-BR or eng_Latn, got " + printable(*given, 80)});
  };
  set(settings.source_language, config.languages.source, "source_language");
  set(settings.target_language, config.languages.target, "target_language");
  const auto& languages = config.languages;
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
