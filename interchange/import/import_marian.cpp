#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/text/printable.h"
#include "interchange/formats/foreign_tensors.h"
#include "interchange/formats/lexical_table.h"
#include "interchange/formats/marian_bin.h"
#include "interchange/formats/npz_file.h"
#include "interchange/formats/packed_file.h"
#include "interchange/formats/settings_file.h"
#include "interchange/formats/vocabulary_file.h"
#include "interchange/import/imported_model.h"
#include "interchange/import/marian_folder.h"
#include "model/storage/tensor_names.h"
#include "tokenizer/sentencepiece_model.h"

namespace gloss {
namespace {

constexpr std::size_t kMaxScript = 1 << 20;  // bytes
constexpr std::int64_t kUsualLength = 512;   // of sources, in pieces
constexpr double kUsualLengthFactor = 3;     // Marian's default
constexpr double kFirefoxLengthFactor = 2;   // Firefox's
constexpr std::int64_t kMinVocabulary = 3;   // eos, unk and a piece

bool is_bin(const std::filesystem::path& path) { return unpacked_path(path).extension() == ".bin"; }

std::shared_ptr<const ForeignTensors> open_marian(const std::filesystem::path& path) {
  return is_bin(path) ? open_marian_bin(path) : open_npz(path);
}

/// Returns whether a tensor of Marian has no effect on a translation in float32.
bool has_no_effect(const std::string& tensor) {
  return tensor.starts_with("special:") || tensor.find("_QuantMult") != tensor.npos ||
         tensor.starts_with("lsh_output_");
}

/// Returns the number of rows of a matrix, as Marian counts them.
std::int64_t row_count(const ForeignTensorInfo& info) {
  return info.shape.size() < 2 ? 1 : info.shape[info.shape.size() - 2];
}

/// Returns the name with the number of the layer whose weights are used: "decoder.layers.1.…".
std::string tied_name(const std::string& weight, const std::vector<std::int64_t>& layers) {
  constexpr std::string_view kStart = "decoder.layers.";
  if (layers.empty() || !weight.starts_with(kStart)) return weight;
  const auto end = weight.find('.', kStart.size());
  const auto layer = static_cast<std::size_t>(std::stol(weight.substr(kStart.size(), end - kStart.size())));
  return std::string(kStart) + std::to_string(layers.at(layer)) + weight.substr(end);
}

ImportRules marian_rules(const MarianNetwork& network) {
  ImportRules rules;
  rules.absent = [projects = network.has_projection, biased = network.has_output_bias](const std::string& weight) {
    if (!biased && weight == "generator.bias") return AbsentWeight::kZeros;
    if (!projects && weight.ends_with("attention.output.weight")) return AbsentWeight::kIdentity;
    if (!projects && weight.ends_with("attention.output.bias")) return AbsentWeight::kZeros;
    return AbsentWeight::kRefused;
  };
  rules.source = [layers = network.tied_layers, absent = rules.absent](const std::string& weight) {
    return absent(weight) == AbsentWeight::kRefused ? tied_name(weight, layers) : std::string();
  };
  rules.ignored = has_no_effect;
  return rules;
}

/// Returns whether <unk> and </s> are among the first rows.
bool has_specials(const ImportedVocabulary& side, std::int64_t rows) {
  const auto& specials = side.specials;
  return specials.unk >= 0 && specials.eos >= 0 && std::max(specials.unk, specials.eos) < rows;
}

/// Returns the rows of </s> and <unk>, which Marian finds by their names, or by those of Nematus as ids 0 and 1. A
/// SentencePiece model has them by the types of its pieces.
SpecialRows marian_specials(const Vocabulary& table) {
  const auto& pieces = table.pieces;
  const auto row_of = [&](std::string_view name, std::size_t older_row, std::initializer_list<std::string_view> older) {
    if (older_row < pieces.size() && std::ranges::find(older, pieces[older_row]) != older.end())
      return static_cast<std::int64_t>(older_row);
    const auto found = std::ranges::find(pieces, name);
    return found == pieces.end() ? PieceRows::kNoRow : found - pieces.begin();
  };
  SpecialRows specials{.unk = row_of("<unk>", 1, {"UNK", "unk"}), .eos = row_of("</s>", 0, {"eos", "<eos>"})};
  if (table.kind != Vocabulary::Kind::kSentencePiece) return specials;
  const auto types = read_piece_table(table.sentencepiece).pieces;
  const auto unk = std::ranges::find(types, Piece::Type::kUnknown, &Piece::type);
  specials.unk = unk == types.end() ? PieceRows::kNoRow : unk - types.begin();
  if (specials.eos >= 0 && types[static_cast<std::size_t>(specials.eos)].type != Piece::Type::kControl)
    specials.eos = PieceRows::kNoRow;
  return specials;
}

/// Returns whether a vocabulary is one of subword-nmt, whose pieces within a word end in "@@".
bool is_of_subword_nmt(const std::vector<std::string>& pieces) {
  return std::ranges::count_if(pieces, [](const auto& piece) { return piece.ends_with("@@"); }) * 10 >
         std::ssize(pieces);
}

class MarianImport {
 public:
  explicit MarianImport(const ImportSettings& settings) : settings_(settings) {}

  ImportedModel run() {
    auto& report = model_.report;
    report.formulas = settings_.formulas.value_or(ModelFamily::kMarian);
    report.format = "Marian";
    files_ = find_marian_files(settings_, report.refusals);
    if (files_.model.empty()) return std::move(model_);
    report.format = files_.is_package ? "OPUS-MT package" : is_bin(files_.model) ? "Marian bin" : "Marian npz";
    add_file(files_.model);
    if (files_.decoder) add_file(*files_.decoder);
    for (const auto& vocabulary : files_.vocabularies) add_file(vocabulary.table);
    for (const auto& vocabulary : files_.vocabularies) add_file(vocabulary.sentencepiece);
    if (files_.lexical) add_file(*files_.lexical);
    if (files_.is_package && files_.preprocess) add_file(*files_.preprocess);
    file_ = open_marian(files_.model);
    const auto options = marian_options_of(*file_);
    if (!files_.vocabularies.empty()) {  // otherwise refused already
      source_ = read_side(files_.vocabularies.front());
      target_ = read_side(files_.vocabularies.back());
    }
    set_network(options);
    add_marian_tokenizers();
    set_shortlist();
    set_search();
    model_.provenance = {{"format", report.format}, {"options", network_.options}};
    return std::move(model_);
  }

 private:
  void add_file(const std::filesystem::path& file) {
    if (std::ranges::find(model_.files, file) == model_.files.end()) model_.files.push_back(file);
  }

  /// Returns whether the files are those that Firefox ships.
  bool is_of_firefox() const {
    const bool has_name = files_.model.filename().string().find(".intgemm") != std::string::npos;
    return is_bin(files_.model) && !files_.decoder && (files_.lexical || (has_name && !model_.input_scales.empty()));
  }

  void set_network(const MarianOptions& options) {
    auto& report = model_.report;
    network_ = marian_network(options, report.formulas, report.refusals);
    report.notes = network_.notes;
    auto& config = network_.model;
    if (config.positions == Positions::kLearned && file_->has("Wpos"))
      config.max_positions = std::clamp<std::int64_t>(row_count(file_->info("Wpos")), 1, ModelConfig::kMaxPositions);
    model_.config.model = config;
    source_rows_ = rows_of(kSourceEmbedding, network_.dim_vocabs.front(), network_.pieces.front(), source_);
    const bool is_joint = config.tie_embeddings == TieEmbeddings::kAll;
    target_rows_ = rows_of(is_joint ? kSourceEmbedding : kTargetEmbedding, network_.dim_vocabs.back(),
                           network_.pieces.back(), target_);
    if (!network_.is_transformer) return;
    model_.weights = std::make_shared<ImportedWeights>(
        file_, WeightMap(ModelFamily::kMarian, config, source_rows_, target_rows_), marian_rules(network_));
    model_.weights->compare(report);
    set_input_scales();
    const auto names = file_->names();
    const auto is_int8 = [&](const auto& name) {
      return file_->info(name).multiplier && file_->info(name).type == at::kChar;
    };
    if (!std::ranges::any_of(names, is_int8)) return;
    report.notes.push_back("matrices are 8-bit integers of intgemm; --precision int8 keeps them as they are");
    if (files_.lexical || is_of_firefox()) report.precision = WeightPrecision::kInt8;
  }

  /// Returns the rows of the embedding of a side. `stated` is their number in dim-vocabs, or 0; the first `used` of
  /// them are pieces. The number is compared with the limit before anything of this size is allocated.
  PieceRows rows_of(const char* embedding, std::int64_t stated, std::int64_t used, const ImportedVocabulary& side) {
    auto& refusals = model_.report.refusals;
    auto count = stated;
    for (const auto& [name, transposed, part, parts] : foreign_names(ModelFamily::kMarian, embedding, network_.model)) {
      if (!file_->has(name)) continue;
      count = row_count(file_->info(name));
      refusals.require(stated == 0 || stated == count, "dim-vocabs: wanted " + std::to_string(count) + ", as many as " +
                                                           name + " has rows, got " + std::to_string(stated));
      break;
    }
    const bool fits = count >= kMinVocabulary && count <= TokenizerConfig::kMaxVocabulary;
    refusals.require(fits, "dim-vocabs: wanted " + std::to_string(kMinVocabulary) + " to " +
                               std::to_string(TokenizerConfig::kMaxVocabulary) + " pieces, got " +
                               std::to_string(count));
    if (!side.pieces.empty()) expect_rows(side, count);
    auto rows = piece_rows(!fits             ? 0
                           : stated == count ? used
                                             : count,
                           has_specials(side, count) ? side.specials : kMarianSpecials);
    rows.foreign_size = count;  // the shapes of tensors are compared with it even if it is refused
    return rows;
  }

  /// Takes over the multipliers of the inputs of matrices. With a shortlist, older versions of Marian do not know the
  /// name of the output matrix.
  void set_input_scales() {
    auto& report = model_.report;
    const auto output = stored_name(kGeneratorMatrix, model_.config.model.tie_embeddings);
    for (const auto& [weight, tensor, type, shape] : report.found) {
      if (tensor.empty() || (weight.ends_with("_embedding.weight") && weight != output)) continue;
      auto name = tensor + std::string(kInputMultiplier);
      if (weight == output && !file_->has(name)) name = kOutputMultiplier;
      if (!file_->has(name)) continue;
      std::erase(report.ignored, name);
      const auto& info = file_->info(name);
      const bool is_number =
          (info.type == at::kFloat || info.multiplier) && checked_byte_count(info, name) == c10::elementSize(info.type);
      // A name with Wemb makes marian-conv store even this number as an integer.
      const auto value =
          is_number ? file_->tensor(name).to(at::kFloat).item<float>() * (1 / info.multiplier.value_or(1)) : 0;
      const auto scale = 1 / value;
      const bool fits = scale > 0 && std::isfinite(scale) && std::isfinite(1 / scale);
      report.refusals.require(fits, name + ": wanted one positive number, got " + shown_shape(info) +
                                        (is_number ? " " + std::to_string(value) : ""));
      if (fits) model_.input_scales[weight] = scale;
    }
    if (!model_.input_scales.empty())
      report.notes.push_back(std::to_string(model_.input_scales.size()) +
                             " matrices have multipliers of their inputs, which --precision int8 uses");
  }

  /// Turns the lexical table into lists of gloss's ids.
  void set_shortlist() {
    auto& report = model_.report;
    if (!files_.lexical || !report.importable()) return;
    model_.shortlist = is_lexical_text(*files_.lexical) ? text_shortlist() : binary_shortlist();
    const auto& table = model_.shortlist->table();
    report.notes.push_back("shortlist: " + std::to_string(table.always.size()) + " pieces for every sentence, " +
                           std::to_string(table.tokens.size()) + " for single pieces of the source");
  }

  std::shared_ptr<const Shortlist> text_shortlist() const {
    const auto& tokenizers = model_.tokenizers;
    const auto side = [&](const char* name) {
      const auto own = tokenizers.find(name);
      return make_tokenizer(own == tokenizers.end() ? tokenizers.at(kJointTokenizer) : own->second, name);
    };
    return read_lexical_shortlist(*files_.lexical, *side(kSourceTokenizer), *side(kTargetTokenizer), files_.shortlist);
  }

  /// If both languages share a vocabulary, Marian also proposes each source piece itself.
  std::shared_ptr<const Shortlist> binary_shortlist() const {
    const auto size = [](std::int64_t rows) { return static_cast<std::size_t>(rows); };
    const auto table =
        read_lexical_table(*files_.lexical, {size(source_rows_.foreign_size), size(target_rows_.foreign_size)});
    std::vector<Id> ids(size(target_rows_.foreign_size), kPad);
    for (auto id = kSpecialIds; id < target_rows_.size(); ++id)
      ids[size(target_rows_.rows[size(id)])] = static_cast<Id>(id);
    for (const auto id : {kUnk, kEos}) ids[size(target_rows_.rows[size(id)])] = id;
    const bool is_shared = files_.vocabularies.front() == files_.vocabularies.back();
    Shortlist::Table lists{.offsets = {0}, .tokens = {}, .always = {}};
    const auto add = [&](std::size_t row, Ids& list) {
      if (ids[row] != kPad) list.push_back(ids[row]);  // a row may have no piece
    };
    for (std::size_t row = 0; row < std::min<std::uint64_t>(table.frequent, ids.size()); ++row) add(row, lists.always);
    for (const auto row : source_rows_.rows) {
      if (row != PieceRows::kNoRow) {
        for (auto i = table.offsets[size(row)]; i < table.offsets[size(row) + 1]; ++i)
          add(table.tokens[i], lists.tokens);
        if (is_shared) add(size(row), lists.tokens);
      }
      lists.offsets.push_back(static_cast<std::int32_t>(lists.tokens.size()));
    }
    try {
      return std::make_shared<const Shortlist>(std::move(lists), model_.weights->vocabularies());
    } catch (const ModelError& error) {
      throw ModelError(printable(files_.lexical->string()) + ": " + error.what());
    }
  }

  ImportedVocabulary read_side(const MarianVocabulary& files) {
    auto table = read_vocabulary(files.table);
    ImportedVocabulary side{.pieces = {}, .specials = marian_specials(table), .vocabulary_file = table.name};
    const bool cuts = files.table == files.sentencepiece;
    side.sentencepiece = cuts ? table.sentencepiece : read_vocabulary(files.sentencepiece).sentencepiece;
    side.sentencepiece_file = printable(files.sentencepiece.string());
    side.pieces = std::move(table.pieces);
    model_.report.refusals.require(
        !is_of_subword_nmt(side.pieces),
        side.vocabulary_file + ": wanted pieces of SentencePiece, got those of subword-nmt (@@)");
    return side;
  }

  /// Refuses a vocabulary that does not fit `rows` rows of the embedding.
  void expect_rows(const ImportedVocabulary& side, std::int64_t rows) {
    auto& refusals = model_.report.refusals;
    refusals.require(has_specials(side, rows), side.vocabulary_file + ": wanted </s> and <unk> among the first " +
                                                   std::to_string(rows) + " pieces");
    // Marian leaves out the last entries of a table that is too long, but never those of a SentencePiece model.
    const bool may_be_longer = side.vocabulary_file != side.sentencepiece_file;
    const auto pieces = std::ssize(side.pieces);
    refusals.require(rows == 0 || pieces == rows || (may_be_longer && pieces > rows),
                     side.vocabulary_file + ": wanted " + std::to_string(rows) +
                         " pieces, as many as the embedding has rows, got " + std::to_string(pieces));
  }

  void add_marian_tokenizers() {
    auto& report = model_.report;
    if (files_.vocabularies.empty()) return;  // refused already
    source_.rows = source_rows_;
    target_.rows = target_rows_;
    set_sharing(model_, source_, target_, "tied-embeddings-all");
    if (!report.refusals.empty()) return;
    const auto normalizer =
        files_.is_package ? MappedVocabulary::Normalizer::kOpusMt : MappedVocabulary::Normalizer::kNone;
    add_tokenizers(model_, settings_, source_, target_, normalizer);
    if (!report.tokenizers.front().languages.empty()) model_.config.tokenizer.source_tag = SourceTag::kTarget;
    set_languages(model_, settings_);
    if (files_.preprocess && files_.is_package)
      if (const auto difference = preprocessing_difference(read_model_text(*files_.preprocess, kMaxScript));
          !difference.empty())
        report.notes.push_back(difference);
  }

  void set_search() {
    auto& config = model_.config;
    config.max_length = kUsualLength;
    config.decoding.no_unk = config.decoding.shrinking_beam = true;  // as Marian does, unless decoder.yml allows unk
    config.decoding.max_length_factor = kUsualLengthFactor;
    config.decoding.alignment_from = network_.guided_attention;
    if (files_.decoder) {
      auto options = read_marian_options(*files_.decoder);
      if (files_.lexical) std::erase(options.keys, "shortlist");
      set_marian_search(options, config, model_.report.notes);
    } else if (is_of_firefox()) {  // Firefox's settings, which its folders lack
      model_.report.format = "Firefox";
      config.decoding.beam_size = 1;
      config.decoding.max_length_factor = kFirefoxLengthFactor;
    }
  }

  const ImportSettings& settings_;
  ImportedModel model_;
  MarianFiles files_;
  std::shared_ptr<const ForeignTensors> file_;
  MarianNetwork network_;
  ImportedVocabulary source_, target_;
  PieceRows source_rows_, target_rows_;
};

}  // namespace

ImportedModel import_marian(const ImportSettings& settings) { return MarianImport(settings).run(); }

}  // namespace gloss
