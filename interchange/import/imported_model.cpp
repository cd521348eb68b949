#include "interchange/import/imported_model.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "common/error.h"
#include "common/text/format.h"
#include "common/text/language_tag.h"
#include "common/text/printable.h"
#include "model/storage/tensor_names.h"
#include "tokenizer/language_tags.h"
#include "tokenizer/sentencepiece_model.h"
#include "tokenizer/sentencepiece_writer.h"
#include "tokenizer/tokenizer.h"

namespace gloss {
namespace {

constexpr std::string_view kLanguageCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
constexpr double kMaxUnknownPercent = 5;  // of a SentencePiece model's pieces that a vocabulary may lack

/// Sets the section `tokenizer` from a SentencePiece model and a number of pieces.
void describe_sentencepiece(TokenizerConfig& config, std::string_view sentencepiece, std::int64_t pieces) {
  const auto table = read_piece_table(sentencepiece);
  config.type = table.segmentation == PieceTable::Segmentation::kBpe         ? TokenizerType::kBpe
                : table.segmentation == PieceTable::Segmentation::kCharacter ? TokenizerType::kChar
                                                                             : TokenizerType::kUnigram;
  config.byte_fallback =
      std::ranges::any_of(table.pieces, [](const Piece& piece) { return piece.type == Piece::Type::kByte; });
  config.vocabulary_size = std::max(pieces, TokenizerConfig::kMinVocabulary + (config.byte_fallback ? 256 : 0));
}

/// Returns the language of ">>deu<<"; empty for another piece.
std::string_view opus_language(std::string_view piece) {
  constexpr std::string_view kBegin = ">>", kEnd = "<<";
  if (piece.size() <= kBegin.size() + kEnd.size() || !piece.starts_with(kBegin) || !piece.ends_with(kEnd)) return {};
  const auto language = piece.substr(kBegin.size(), piece.size() - kBegin.size() - kEnd.size());
  const auto is_of_tag = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return std::ranges::all_of(language, is_of_tag) ? language : std::string_view{};
}

/// Returns the vocabulary of a MappedTokenizer: the pieces in the order of gloss's ids.
MappedVocabulary mapped_vocabulary(const ImportedVocabulary& side, MappedVocabulary::Normalizer normalizer) {
  const auto& pieces = side.pieces;
  MappedVocabulary result;
  result.pieces = {"<pad>", "<unk>", "<s>", "</s>"};
  result.normalizer = normalizer;
  result.has_source_eos = side.has_source_eos;
  const std::set<std::string_view> known(pieces.begin(), pieces.end());
  std::map<std::int64_t, Id> ids;
  for (std::size_t id = 0; id < side.rows.rows.size(); ++id) {
    ids.emplace(side.rows.rows[id], static_cast<Id>(id));
    if (id < kSpecialIds) continue;
    const auto row = static_cast<std::size_t>(side.rows.rows[id]);
    if (row < pieces.size()) {
      result.pieces.push_back(pieces[row]);
      if (const auto language = opus_language(pieces[row]); !language.empty())
        result.languages.emplace(language, static_cast<Id>(id));
      continue;
    }
    auto name = unused_piece(static_cast<std::int64_t>(row));
    while (known.contains(name)) name += '>';
    result.pieces.push_back(name);
  }
  for (const auto& [language, row] : side.languages)
    if (const auto id = ids.find(row); id != ids.end()) result.languages.emplace(language, id->second);
  return result;
}

/// Returns whether a vocabulary has the ids of its SentencePiece model, and gloss's special ids.
bool is_plain(const MappedVocabulary& vocabulary, const PieceTable& cut, const std::string& sentencepiece) {
  const auto has_text = [](const std::string& text, const Piece& piece) { return text == piece.text; };
  if (!std::ranges::equal(vocabulary.pieces, cut.pieces, has_text) || !vocabulary.languages.empty() ||
      !vocabulary.has_source_eos || vocabulary.normalizer != MappedVocabulary::Normalizer::kNone)
    return false;
  try {
    make_tokenizer(sentencepiece, "");
  } catch (const ModelError&) {
    return false;  // other special ids
  }
  return true;
}

void add_tokenizer(ImportedModel& model, const ImportSettings& settings, const std::string& tensor,
                   const ImportedVocabulary& side, MappedVocabulary::Normalizer normalizer) {
  const auto &sentencepiece = side.sentencepiece, &sentencepiece_file = side.sentencepiece_file,
             &vocabulary_file = side.vocabulary_file;
  const auto vocabulary = mapped_vocabulary(side, normalizer);
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
  if (is_plain(vocabulary, cut, sentencepiece)) {
    model.tokenizers[tensor] = sentencepiece;
  } else {
    const MappedTokenizer tokenizer(
        vocabulary, unknown.empty() ? sentencepiece : without_pieces(sentencepiece, unknown), sentencepiece_file);
    model.tokenizers[tensor] = tokenizer.serialized();
    found.languages = tokenizer.languages();
  }
  describe_sentencepiece(model.config.tokenizer, sentencepiece, std::ssize(vocabulary.pieces));
  model.report.tokenizers.push_back(std::move(found));
}

}  // namespace

std::string tag_language(const std::string& piece) {
  if (piece.size() > 4 && piece.starts_with("__") && piece.ends_with("__")) {
    auto name = piece.substr(2, piece.size() - 4);
    return name.find_first_not_of(kLanguageCharacters) == name.npos ? name : "";
  }
  const auto bar = piece.find('_');
  const bool is_code = bar != piece.npos && bar >= 2 && is_language_tag(with_hyphens(piece));
  return is_code ? piece : "";
}

void set_sharing(ImportedModel& model, const ImportedVocabulary& source, const ImportedVocabulary& target,
                 const std::string& tie_key) {
  auto& config = model.config.tokenizer;
  const bool same_table = source.pieces == target.pieces && source.rows == target.rows;
  const bool same_model = source.sentencepiece == target.sentencepiece;
  config.joint = same_table && same_model;
  config.shared_ids = same_table && !same_model;
  if (model.config.model.tie_embeddings == TieEmbeddings::kAll)
    model.report.refusals.require(same_table, tie_key + ": wanted one vocabulary for both languages, got " +
                                                  source.vocabulary_file + " and " + target.vocabulary_file);
}

void add_tokenizers(ImportedModel& model, const ImportSettings& settings, const ImportedVocabulary& source,
                    const ImportedVocabulary& target, MappedVocabulary::Normalizer normalizer) {
  const bool joint = model.config.tokenizer.joint;
  add_tokenizer(model, settings, joint ? kJointTokenizer : kSourceTokenizer, source, normalizer);
  if (!joint) add_tokenizer(model, settings, kTargetTokenizer, target, normalizer);
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
