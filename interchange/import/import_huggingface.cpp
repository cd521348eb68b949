#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <ATen/Functions.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/files/sha256.h"
#include "common/text/printable.h"
#include "interchange/formats/huggingface_weights.h"
#include "interchange/formats/settings_file.h"
#include "interchange/import/huggingface_folder.h"
#include "interchange/import/imported_model.h"
#include "interchange/import/tokenizer_json_reader.h"
#include "model/storage/tensor_names.h"
#include "tokenizer/tokenizer.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMaxSourceLength = 1024;  // of sources, if the other program has a higher limit

/// Tensors that may repeat the tied matrix: of all embeddings, or the last two of the decoder's.
constexpr std::array<std::string_view, 4> kTiedMatrices{"model.shared.weight", "model.encoder.embed_tokens.weight",
                                                        "model.decoder.embed_tokens.weight", "lm_head.weight"};

bool is_not_needed(const std::string& tensor) {
  return tensor.ends_with("embed_positions.weight") || tensor.ends_with("embed_positions.weights") ||
         std::ranges::find(kTiedMatrices, tensor) != kTiedMatrices.end();
}

/// Returns config.json, with the ids that newer directories have only in generation_config.json. Adds a note for each
/// id that differs.
Json complete_config(Json config, const Json& generation, std::vector<std::string>& notes) {
  for (const auto* key : {"pad_token_id", "bos_token_id", "eos_token_id", "decoder_start_token_id"}) {
    const auto found = generation.find(key);
    if (found == generation.end() || found->is_null()) continue;
    auto& id = config[key];
    if (id.is_null())
      id = *found;
    else if (id != *found)
      notes.push_back(std::string(key) + ' ' + printable(to_text(*found), 80) +
                      " of generation_config.json: not carried over; config.json has " + printable(to_text(id), 80));
  }
  return config;
}

/// Returns the settings of the network, for the provenance: numbers, switches and short texts.
Json plain_settings(const Json& config) {
  Json result = Json::object();
  for (const auto& [key, value] : config.items())
    if (value.is_number() || value.is_boolean() ||
        (value.is_string() && value.get_ref<const std::string&>().size() < 80))
      result[key] = value;
  return result;
}

class HuggingFaceImport {
 public:
  explicit HuggingFaceImport(const ImportSettings& settings) : settings_(settings), folder_(settings.path) {}

  ImportedModel run() {
    auto& report = model_.report;
    report.format = "Hugging Face";
    add_files();
    report.formulas = settings_.formulas.value_or(ModelFamily::kHuggingFace);
    const auto generation = read_json_object_if_there(folder_ / "generation_config.json", kMaxSettingsFile);
    const auto config =
        complete_config(read_json_object(folder_ / "config.json", kMaxSettingsFile), generation, report.notes);
    network_ = huggingface_network(config, settings_.formulas, report.refusals);
    report.formulas = network_.formulas;
    if (report.formulas == ModelFamily::kMarian && !settings_.formulas)
      report.notes.push_back(
          "transformers computes this network a little differently; --formulas huggingface suits a model that it "
          "trained");
    report.format = "Hugging Face " + network_.type_name;
    model_.provenance = {{"format", report.format}, {"options", plain_settings(config)}};
    open_weights();
    if (!network_.type) return std::move(model_);
    model_.config.model = network_.model;
    if (network_.is_own)
      take_own_tokenizers();
    else
      take_tokenizers();
    if (has_rows_) {
      const auto& sizes = model_.config.model;
      if (file_ && sizes.d_model % sizes.heads == 0) set_weights();  // otherwise refused already
      set_huggingface_search(generation.empty() ? huggingface_search(config) : generation,
                             {target_rows_, !network_.is_own}, model_.config.decoding, report.notes);
    }
    model_.config.max_length = std::clamp<std::int64_t>(network_.max_positions, 2, kMaxSourceLength);
    return std::move(model_);
  }

 private:
  /// Adds the settings and tokenizers.
  void add_files() {
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const auto extension = entry.path().extension();
      if (entry.is_regular_file() && (extension == ".json" || extension == ".spm" || extension == ".model"))
        model_.files.push_back(entry.path());
    }
  }

  void open_weights() {
    const auto weights = find_huggingface_weights(folder_);
    if (!weights) return model_.report.refusals.add("model.safetensors is missing, and pytorch_model.bin, too");
    for (auto& file : huggingface_weight_files(*weights))
      if (std::ranges::find(model_.files, file) == model_.files.end()) model_.files.push_back(std::move(file));
    std::ranges::sort(model_.files);
    file_ = open_huggingface_weights(*weights);
  }

  /// Returns the rows of gloss's pieces. Bos has the row of the decoder's first input.
  PieceRows rows_of(std::int64_t size, const SpecialRows& specials) const {
    auto rows = piece_rows(size, specials);
    if (network_.decoder_start != specials.bos) rows.rows[kBos] = network_.decoder_start;
    return rows;
  }

  /// Sets the row of the target's pad. The configuration has one pad, that of the source; it may be an ordinary piece
  /// of a target with a vocabulary of its own.
  void set_target_pad(HuggingFaceTokenizers& tokenizers) {
    const auto pad = static_cast<std::size_t>(network_.specials.pad);
    const auto &source = tokenizers.source.pieces, &target = tokenizers.target.pieces;
    if (pad >= std::min(source.size(), target.size()) || source[pad] == target[pad]) return;
    const auto found = std::ranges::find(target, source[pad]);
    tokenizers.target.specials.pad = found == target.end() ? PieceRows::kNoRow : found - target.begin();
    model_.report.notes.push_back("pad_token_id " + std::to_string(pad) + ": \"" + printable(target[pad], 80) +
                                  "\" of " + tokenizers.target.vocabulary_file + " stays a piece of the target");
  }

  /// Refuses a vocabulary whose <unk> has no row, or the row of another special piece, and one that leaves more rows
  /// without a piece than its class has. Returns whether it fits.
  bool fits(const ImportedVocabulary& side, std::int64_t size) {
    constexpr std::int64_t kMadeUpWords = 8;  // of M2M100; NLLB has fewer
    auto& refusals = model_.report.refusals;
    const auto& [pad, unk, bos, eos] = side.specials;
    const bool fits = unk < size && unk != pad && unk != bos && unk != eos;
    refusals.require(fits, side.vocabulary_file + ": wanted a row of its own below vocab_size " + std::to_string(size) +
                               " for <unk>, got " + std::to_string(unk));
    const auto spare = network_.type == HuggingFaceType::kM2M100 ? kMadeUpWords : 0;
    refusals.require(std::ssize(side.pieces) + spare >= size || settings_.allow_other_tokenizer,
                     side.vocabulary_file + ": wanted at least " + std::to_string(size - spare) +
                         " pieces for the rows of the embedding, got " + std::to_string(side.pieces.size()) +
                         "; the file is damaged, or set --allow-other-tokenizer for rows without a piece");
    return fits;
  }

  void take_tokenizers() {
    auto& report = model_.report;
    auto tokenizers = read_huggingface_tokenizers(folder_, network_, report.refusals);
    if (!tokenizers.is_complete) return;
    auto &source = tokenizers.source, &target = tokenizers.target;
    set_target_pad(tokenizers);
    const bool source_fits = fits(source, network_.source_size), target_fits = fits(target, network_.target_size);
    if (!source_fits || !target_fits) return;
    source.rows = source_rows_ = rows_of(network_.source_size, source.specials);
    target.rows = target_rows_ = rows_of(network_.target_size, target.specials);
    has_rows_ = true;
    set_sharing(model_, source, target, "share_encoder_decoder_embeddings");
    add_tokenizers(model_, settings_, source, target, MappedVocabulary::Normalizer::kNone);
    auto& config = model_.config;
    const bool is_m2m100 = network_.type == HuggingFaceType::kM2M100;
    if (is_m2m100)
      config.tokenizer.source_tag = SourceTag::kSource;
    else if (!report.tokenizers.front().languages.empty())
      config.tokenizer.source_tag = SourceTag::kTarget;
    config.tokenizer.target_tag = is_m2m100;
    // The directory's pair of languages does not apply to a model with tags.
    if (config.tokenizer.source_tag == SourceTag::kNone) {
      config.languages.source = tokenizers.source_language;
      config.languages.target = tokenizers.target_language;
    }
    set_languages(model_, settings_);
    if (network_.type == HuggingFaceType::kMarian)
      report.notes.push_back(
          "Hugging Face's tokenizer also normalizes punctuation if sacremoses is installed; gloss does "
          "not");
  }

  /// Returns the file of a tokenizer in an export of gloss. Other programs that save the directory again keep only
  /// those of their class.
  fs::path own_tokenizer(const std::string& name) const {
    const auto other = name == kJointTokenizer    ? "tokenizer.json"
                       : name == kSourceTokenizer ? "source.spm"
                                                  : "target.spm";
    return folder_ / (fs::exists(folder_ / name) || !fs::exists(folder_ / other) ? name : other);
  }

  /// Takes the tokenizers that gloss export wrote beside the files of Hugging Face.
  void take_own_tokenizers() {
    auto& config = model_.config;
    auto& refusals = model_.report.refusals;
    config.tokenizer.joint = !fs::exists(own_tokenizer(kSourceTokenizer));
    std::vector<std::int64_t> sizes;
    for (const auto& name : tokenizer_names(config.tokenizer.joint)) {
      const auto path = own_tokenizer(name);
      refusals.require(fs::exists(path), name + " is missing; gloss export writes it");
      if (!fs::exists(path)) return;
      const auto shown = printable(path.string());
      std::string bytes;
      const bool is_json = path.extension() == ".json";
      if (is_json)
        bytes = read_tokenizer_json(read_json_object(path, kMaxTokenizerFile), shown, refusals).sentencepiece;
      if (!refusals.empty()) return;
      const auto tokenizer = is_json ? make_tokenizer(std::move(bytes), shown) : load_tokenizer(path);
      sizes.push_back(tokenizer->vocabulary_size());
      model_.tokenizers[name] = tokenizer->serialized();
      model_.report.tokenizers.push_back({.name = name,
                                          .sentencepiece = shown,
                                          .vocabulary = shown,
                                          .pieces = sizes.back(),
                                          .languages = tokenizer->languages()});
      config.tokenizer.vocabulary_size = std::max(sizes.back(), TokenizerConfig::kMinVocabulary);
    }
    const auto expect_size = [&](std::int64_t pieces, std::int64_t rows) {
      model_.report.refusals.require(pieces == rows, "vocab_size: wanted " + std::to_string(pieces) +
                                                         " rows, as many as the tokenizer has pieces, got " +
                                                         std::to_string(rows));
    };
    expect_size(sizes.front(), network_.source_size);
    expect_size(sizes.back(), network_.target_size);
    config.tokenizer.shared_ids = !config.tokenizer.joint && config.model.tie_embeddings == TieEmbeddings::kAll;
    auto specials = network_.specials;
    specials.unk = kUnk;
    source_rows_ = rows_of(network_.source_size, specials);
    target_rows_ = rows_of(network_.target_size, specials);
    has_rows_ = true;
    set_languages(model_, settings_);
  }

  void set_weights() {
    auto& report = model_.report;
    set_decoder_start();
    ImportRules rules;
    rules.absent = [](const std::string& weight) {
      return weight == "generator.bias" ? AbsentWeight::kZeros : AbsentWeight::kRefused;
    };
    rules.ignored = is_not_needed;
    // Neither belongs in a translation, but the row of pad is zero, so its logit could be the largest.
    if (!network_.is_own) rules.suppressed = {kPad, kBos};
    model_.weights = std::make_shared<ImportedWeights>(
        file_, WeightMap(ModelFamily::kHuggingFace, model_.config.model, source_rows_, target_rows_), rules);
    model_.weights->compare(report);
    if (report.importable()) note_other_matrices();
  }

  /// Sets the kind of the decoder's start. A start that is zero stays zero in fine-tuning.
  void set_decoder_start() {
    auto& config = model_.config.model;
    if (network_.decoder_start == network_.specials.bos) return;
    for (const auto& [name, transposed, part, parts] :
         foreign_names(ModelFamily::kHuggingFace, stored_name(kTargetEmbedding, config.tie_embeddings), config)) {
      if (!file_->has(name)) continue;
      if (file_->info(name).shape != std::vector{network_.target_size, config.d_model}) return;  // refused later
      const auto row = file_->tensor(name).select(0, network_.decoder_start);
      if (!row.count_nonzero().item<std::int64_t>()) config.decoder_start = DecoderStart::kZero;
      return;
    }
  }

  /// Adds a note for each repetition of the tied matrix with other values.
  void note_other_matrices() {
    auto& report = model_.report;
    const auto ties = model_.config.model.tie_embeddings;
    if (ties == TieEmbeddings::kNone) return;
    const auto tied = std::span(kTiedMatrices).subspan(ties == TieEmbeddings::kAll ? 0 : 2);
    const auto used = std::ranges::find_if(
        report.found, [&](const FoundTensor& found) { return std::ranges::find(tied, found.tensor) != tied.end(); });
    if (used == report.found.end()) return;
    const auto hash_of = [&](std::string_view name) {  // so that one of the matrices is in memory at a time
      const auto values = file_->tensor(name).contiguous();
      return sha256({static_cast<const char*>(values.const_data_ptr()), values.nbytes()});
    };
    std::optional<std::string> used_hash;
    for (const auto& name : tied) {
      if (name == used->tensor || !file_->has(name)) continue;
      if (!used_hash) used_hash = hash_of(used->tensor);
      if (hash_of(name) != *used_hash)
        report.notes.push_back(std::string(name) + " differs from " + used->tensor +
                               ", which takes its place since the embeddings are tied");
    }
  }

  const ImportSettings& settings_;
  const fs::path folder_;
  ImportedModel model_;
  HuggingFaceNetwork network_;
  std::shared_ptr<const ForeignTensors> file_;
  PieceRows source_rows_, target_rows_;
  bool has_rows_ = false;
};

}  // namespace

ImportedModel import_huggingface(const ImportSettings& settings) { return HuggingFaceImport(settings).run(); }

}  // namespace gloss
