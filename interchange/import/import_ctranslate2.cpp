#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/text/language_tag.h"
#include "common/text/printable.h"
#include "interchange/formats/ctranslate2_bin.h"
#include "interchange/formats/model_files.h"
#include "interchange/formats/packed_file.h"
#include "interchange/formats/settings_file.h"
#include "interchange/formats/vocabulary_file.h"
#include "interchange/import/ctranslate2_network.h"
#include "interchange/import/imported_model.h"
#include "interchange/import/marian_folder.h"
#include "model/storage/tensor_names.h"
#include "tokenizer/sentencepiece_model.h"
#include "tokenizer/sentencepiece_writer.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMaxInput = 1024;         // tokens of a source, CTranslate2's default
constexpr std::uint32_t kConfiguredVersion = 6;  // of model.bin, from which on texts are in config.json
constexpr const char *kSubwordNmtCodes = "bpe.model", *kMetadata = "metadata.json";  // of an Argos package
// Argos Translate's search (argostranslate/translate.py, settings.py).
constexpr std::int64_t kArgosBeam = 4;
constexpr double kArgosLengthPenalty = 0.2;

/// The special tokens of a model.
struct SpecialTokens {
  std::string unk, eos;
  std::optional<std::string> start;  ///< first input of the decoder; absent: the caller names it
  bool source_eos = false;           ///< CTranslate2 adds eos to sources
};

class Ctranslate2Import {
 public:
  explicit Ctranslate2Import(const ImportSettings& settings) : settings_(settings), files_(settings.path) {}

  ImportedModel run() {
    auto& report = model_.report;
    report.formulas = ModelFamily::kCtranslate2;
    report.format = files_.has(kMetadata) ? "Argos package" : "CTranslate2";
    if (files_.has(kMetadata)) read_metadata();
    file_ = std::make_shared<Ctranslate2Bin>(files_.open("model.bin", kMaxUnpackedModel), files_.shown("model.bin"));
    add_file(files_.on_disk("model.bin"));
    if (file_->version() >= kConfiguredVersion) config_ = read_object("config.json");
    read_vocabularies();
    network_ = ctranslate2_network(*file_, config_, source_.pieces == target_.pieces, report.refusals);
    model_.config.model = network_.model;
    find_sentencepiece();
    if (network_.is_transformer && !target_.pieces.empty()) set_weights();
    set_tokenizers();
    if (files_.has("vmap.txt")) report.notes.emplace_back("vmap.txt: not carried over");
    const std::string table = "encoder/position_encodings/encodings";
    const auto positions = file_->has(table) ? file_->info(table).shape.front() : kMaxInput;
    model_.config.max_length = std::clamp<std::int64_t>(positions, 2, kMaxInput);
    model_.provenance["format"] = report.format;
    model_.provenance["options"] = {{"specification", file_->specification()},
                                    {"version", file_->version()},
                                    {"revision", file_->revision()},
                                    {"add_source_eos", tokens_.source_eos}};
    return std::move(model_);
  }

 private:
  /// Adds a file to those that were read.
  void add_file(const fs::path& file) {
    if (std::ranges::find(model_.files, file) == model_.files.end()) model_.files.push_back(file);
  }
  Json read_object(const std::string& name) {
    auto json = parse_json_object(files_.read(name, kMaxSettingsFile), files_.shown(name));
    add_file(files_.on_disk(name));
    return json;
  }

  /// Reads the description of an Argos package, and takes over its languages and the search of its program.
  void read_metadata() {
    auto& refusals = model_.report.refusals;
    const auto json = read_object(kMetadata);
    JsonFields fields(json, refusals);
    fields.expect(fields.text("type", "translate") == "translate", "type", "translate");
    const auto language = [&](const char* key) {
      const auto text = with_hyphens(fields.text(key, ""));
      return is_language_tag(text) ? text : "";
    };
    model_.config.languages.source = language("from_code");
    model_.config.languages.target = language("to_code");
    target_prefix_ = fields.text("target_prefix", "");
    model_.config.decoding.beam_size = kArgosBeam;
    model_.config.decoding.length_penalty = kArgosLengthPenalty;
    for (const auto* key : {"package_version", "argos_version", "from_code", "to_code"})
      if (const auto text = fields.text(key, ""); !text.empty())
        model_.provenance["package"][key] = printable(text, 80);
  }

  void read_vocabularies() {
    const auto read_side = [&](const std::string& name, ImportedVocabulary& side) {
      const auto is_list = files_.has(name + ".json");
      const auto file = name + (is_list ? ".json" : ".txt");
      if (!files_.has(file)) return false;
      add_file(files_.on_disk(file));
      auto table = parse_vocabulary(is_list ? Vocabulary::Kind::kJsonList : Vocabulary::Kind::kText,
                                    files_.read(file, kMaxVocabularyBytes), files_.shown(file));
      side.pieces = std::move(table.pieces);
      side.vocabulary_file = table.name;
      return true;
    };
    if (read_side("shared_vocabulary", source_)) {
      target_ = source_;
    } else if (!read_side("source_vocabulary", source_) || !read_side("target_vocabulary", target_)) {
      source_.pieces.clear();
      model_.report.refusals.add(
          "wanted shared_vocabulary.json, or source_vocabulary.json and target_vocabulary.json, "
          "or these as .txt, found none; a model for a language alone has vocabulary.json");
      return;
    }
    read_tokens();
  }

  void read_tokens() {
    auto& refusals = model_.report.refusals;
    const bool is_older = file_->version() < kConfiguredVersion;
    JsonFields fields(config_, refusals);
    const auto text = [&](const char* key, const char* usual) {
      return is_older ? file_->text(key).value_or(usual) : fields.text(key, usual);
    };
    const auto flag = [&](const char* key) { return file_->number(key).value_or(0).toDouble() != 0; };
    tokens_.unk = text("unk_token", "<unk>");
    tokens_.eos = text("eos_token", "</s>");
    tokens_.source_eos = is_older ? flag("with_source_eos") : fields.flag("add_source_eos", false);
    if (is_older && !flag("user_decoder_start_tokens"))
      tokens_.start =
          file_->number("with_target_bos") && !flag("with_target_bos") ? tokens_.eos : text("bos_token", "<s>");
    else if (fields.has("decoder_start_token"))
      tokens_.start = fields.text("decoder_start_token", "");
    refusals.require(is_older ? !flag("with_source_bos") : !fields.flag("add_source_bos", false),
                     "add_source_bos: wanted false, got true");
    starts_from_zero_ = file_->number("decoder/start_from_zero_embedding").value_or(0).toDouble() != 0;
    refusals.require(tokens_.start || starts_from_zero_,
                     "decoder_start_token: wanted a token, got none; the callers of this model name one");
    const bool starts_from_row = !starts_from_zero_ || is_zero_row(row_of(target_, tokens_.start.value_or("")));
    take_rows(source_, starts_from_row);
    take_rows(target_, starts_from_row);
  }

  static std::int64_t row_of(const ImportedVocabulary& side, std::string_view piece) {
    const auto found = std::ranges::find(side.pieces, piece);
    return found == side.pieces.end() ? PieceRows::kNoRow : found - side.pieces.begin();
  }

  /// Sets the rows of gloss's pieces. Pieces with their own rows keep them. Bos has the row of the decoder's first
  /// input if it `starts_from_row`; the row may be another piece's.
  void take_rows(ImportedVocabulary& side, bool starts_from_row) {
    auto& specials = side.specials;
    const auto of = [&](std::string_view piece) { return row_of(side, piece); };
    specials.unk = of(tokens_.unk);
    specials.eos = of(tokens_.eos);
    auto start = of(tokens_.start.value_or(""));
    if (start == PieceRows::kNoRow && !starts_from_zero_) start = specials.unk;  // as CTranslate2 finds a token
    if (starts_from_row && start != specials.unk && start != specials.eos) specials.bos = start;
    specials.pad = of(of("<pad>") != PieceRows::kNoRow ? "<pad>" : "<blank>");
    if (specials.pad == specials.unk || specials.pad == specials.eos || specials.pad == specials.bos)
      specials.pad = PieceRows::kNoRow;
    const bool fits =
        specials.unk != PieceRows::kNoRow && specials.eos != PieceRows::kNoRow && specials.unk != specials.eos;
    model_.report.refusals.require(fits, side.vocabulary_file + ": wanted the tokens " + printable(tokens_.unk, 80) +
                                             " and " + printable(tokens_.eos, 80) + ", found not both");
    side.rows = piece_rows(std::ssize(side.pieces), specials);
    // An ordinary piece has no name of a special one, so that the model can be exported.
    const std::array rows{specials.pad, specials.unk, specials.bos, specials.eos};
    for (const auto* name : {"<pad>", "<unk>", "<s>", "</s>"})
      if (const auto row = of(name); row != PieceRows::kNoRow && std::ranges::find(rows, row) == rows.end())
        side.pieces[static_cast<std::size_t>(row)] = unused_piece(row);
    if (!starts_from_zero_) side.rows.rows[kBos] = start;
  }

  /// Returns whether the row of the target's embedding is zero.
  bool is_zero_row(std::int64_t row) const {
    const std::string embedding = "decoder/embeddings/weight";
    if (row == PieceRows::kNoRow || !file_->has(embedding) || file_->info(embedding).shape.size() != 2 ||
        row >= file_->info(embedding).shape.front())
      return false;
    return file_->tensor(embedding).select(0, row).count_nonzero().item<std::int64_t>() == 0;
  }

  /// Finds the SentencePiece models: those of --vocabulary, or those beside the model.
  void find_sentencepiece() {
    auto& refusals = model_.report.refusals;
    const bool is_given = !settings_.vocabularies.empty();
    auto models = settings_.vocabularies;
    if (!is_given) {
      for (const fs::path name : files_.names())
        if (name.extension() == ".spm" || (name.extension() == ".model" && name != kSubwordNmtCodes))
          models.push_back(name);
      if (models.empty())
        refusals.add(
            files_.has(kSubwordNmtCodes)
                ? "wanted a SentencePiece model, found codes of subword-nmt (bpe.model), whose texts also need "
                  "the tokenizer of Moses; gloss supports neither"
                : "wanted a SentencePiece model (.spm, .model) beside the model or by --vocabulary, found "
                  "none; copy that of the original model, such as source.spm and target.spm, or "
                  "sentencepiece.bpe.model");
      models = sided_files(models, "SentencePiece models", refusals);
    }
    refusals.require(models.size() <= 2,
                     "--vocabulary: wanted one SentencePiece model, or the source's and the target's");
    if (models.empty() || models.size() > 2) return;
    const auto take = [&](const fs::path& path, ImportedVocabulary& side) {
      add_file(is_given ? path : files_.on_disk(path.string()));
      side.sentencepiece_file = is_given ? printable(path.string()) : files_.shown(path.string());
      auto bytes =
          is_given ? read_model_text(path, kMaxVocabularyBytes) : files_.read(path.string(), kMaxVocabularyBytes);
      side.sentencepiece =
          parse_vocabulary(Vocabulary::Kind::kSentencePiece, std::move(bytes), side.sentencepiece_file).sentencepiece;
    };
    take(models.front(), source_);
    take(models.back(), target_);
  }

  void set_weights() {
    auto& report = model_.report;
    ImportRules rules;
    rules.absent = [](const std::string& weight) {
      const bool may_lack = weight.ends_with(".bias") && weight.find("norm.") == weight.npos;
      return may_lack ? AbsentWeight::kZeros : AbsentWeight::kRefused;
    };
    rules.ignored = [learned = network_.model.positions == Positions::kLearned,
                     file = file_](const std::string& tensor) {
      const bool is_tied = file->original(tensor) == file->original("decoder/embeddings/weight");
      return is_tied || (!learned && is_position_table(tensor)) || tensor == "unk_token" || tensor == "bos_token" ||
             tensor == "eos_token";
    };
    const bool has_own_start = target_.specials.bos != PieceRows::kNoRow;
    if (!has_own_start) rules.suppressed = {kBos};
    model_.weights = std::make_shared<ImportedWeights>(
        file_,
        WeightMap(ModelFamily::kCtranslate2, network_.model, source_.rows, target_.rows, network_.separates_channels),
        rules);
    model_.weights->compare(report);
    const auto names = file_->names();
    if (std::ranges::any_of(names, [&](auto& name) { return file_->info(name).has_row_divisors; }))
      report.notes.push_back("matrices are 8-bit integers; --precision int8 keeps them as they are");
  }

  void set_tokenizers() {
    auto& report = model_.report;
    auto& config = model_.config;
    if (source_.sentencepiece.empty() || target_.pieces.empty()) return;  // refused already
    set_sharing(model_, source_, target_, "decoder/embeddings/weight, tied");
    // The vocabularies of OpenNMT have <blank>, and its converter states whether sources end with </s>. The callers of
    // other models add it.
    source_.has_source_eos = target_.has_source_eos =
        tokens_.source_eos || (row_of(source_, "<blank>") == PieceRows::kNoRow && !config_.contains("exported_by"));
    if (!source_.has_source_eos)
      report.notes.push_back("sources have no " + printable(tokens_.eos, 80) + " at their end, as in OpenNMT");
    if (target_prefix_.empty()) {
      take_languages(source_);
      take_languages(target_);
      if (!source_.languages.empty()) config.tokenizer.source_tag = SourceTag::kSource;
    } else {
      take_prefix();
    }
    config.tokenizer.target_tag = !target_.languages.empty();
    if (!report.refusals.empty()) return;
    add_tokenizers(model_, settings_, source_, target_, MappedVocabulary::Normalizer::kNone);
    if (!config.tokenizer.target_tag && !report.tokenizers.front().languages.empty())
      config.tokenizer.source_tag = SourceTag::kTarget;
    set_languages(model_, settings_);
  }

  /// Finds the language tags of M2M100 and NLLB, which are no pieces of the SentencePiece model.
  void take_languages(ImportedVocabulary& side) {
    const auto cut = read_piece_table(side.sentencepiece).pieces;
    std::set<std::string_view> known;
    for (const auto& piece : cut) known.insert(piece.text);
    for (std::size_t row = 0; row < side.pieces.size(); ++row)
      if (const auto language = tag_language(side.pieces[row]); !language.empty() && !known.contains(side.pieces[row]))
        side.languages.emplace(language, static_cast<std::int64_t>(row));
  }

  /// Makes the prefix that a package forces the tag of its target language.
  void take_prefix() {
    const auto row = row_of(target_, target_prefix_);
    const auto& language = model_.config.languages.target;
    model_.report.refusals.require(row != PieceRows::kNoRow && !language.empty(),
                                   "target_prefix: wanted a piece of " + target_.vocabulary_file +
                                       ", and to_code a language tag, got " + printable(target_prefix_, 80));
    target_.languages.emplace(language, row);
    if (model_.config.tokenizer.joint) source_.languages = target_.languages;
  }

  const ImportSettings& settings_;
  const ModelFiles files_;
  std::string target_prefix_;
  ImportedModel model_;
  Json config_ = Json::object();
  std::shared_ptr<const Ctranslate2Bin> file_;
  Ctranslate2Network network_;
  SpecialTokens tokens_;
  bool starts_from_zero_ = false;
  ImportedVocabulary source_, target_;
};

}  // namespace

bool is_ctranslate2(const fs::path& folder) {
  const ModelFiles files(folder);
  const auto has = [&](const std::string& name) { return files.has(name + ".json") || files.has(name + ".txt"); };
  return files.has("model.bin") && (has("shared_vocabulary") || has("target_vocabulary") || has("vocabulary"));
}

ImportedModel import_ctranslate2(const ImportSettings& settings) { return Ctranslate2Import(settings).run(); }

}  // namespace gloss
