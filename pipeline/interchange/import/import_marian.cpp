#include "pipeline/interchange/import/import_marian.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/text/printable.h"
#include "model/storage/tensor_names.h"
#include "pipeline/interchange/formats/marian_bin.h"
#include "pipeline/interchange/formats/npz_file.h"
#include "pipeline/interchange/formats/vocabulary_file.h"
#include "pipeline/interchange/import/import_tokenizers.h"
#include "pipeline/interchange/import/import_vocabulary.h"
#include "pipeline/interchange/import/marian_files.h"
#include "pipeline/interchange/import/marian_network.h"

namespace gloss {
namespace {

constexpr std::size_t kMaxScript = 1 << 20;                         // bytes
constexpr std::int64_t kUsualLength = 512, kMaxLength = 1'000'000;  // of sources, in pieces

std::shared_ptr<const ForeignTensors> open_marian(const std::filesystem::path& path) {
  return path.extension() == ".bin" ? open_marian_bin(path) : open_npz(path);
}

/// Tensors of Marian without an effect on a translation in float32.
bool has_no_effect(const std::string& tensor) {
  return tensor.starts_with("special:") || tensor.find("_QuantMult") != tensor.npos ||
         tensor.starts_with("lsh_output_");
}

/// The number of rows of the embedding of a side, which its tensor states; else that of dim-vocabs.
std::int64_t rows_there(const ForeignTensors& file, const std::string& weight, const ModelConfig& config,
                        const MarianOptions& options, std::size_t side) {
  for (const auto& [name, transposed] : foreign_names(ModelFamily::kMarian, weight, config))
    if (file.has(name) && !file.info(name).shape.empty()) return file.info(name).shape.front();
  if (!options.has("dim-vocabs")) return 0;
  const auto sizes = options.integers("dim-vocabs");
  return sizes.empty() ? 0 : sizes[std::min(side, sizes.size() - 1)];
}

/// "decoder.layers.1.…" with the number of the layer whose weights it has.
std::string tied_name(const std::string& weight, const std::vector<std::int64_t>& layers) {
  constexpr std::string_view kStart = "decoder.layers.";
  if (layers.empty() || !weight.starts_with(kStart)) return weight;
  const auto end = weight.find('.', kStart.size());
  const auto layer = static_cast<std::size_t>(std::stol(weight.substr(kStart.size(), end - kStart.size())));
  return std::string(kStart) + std::to_string(layers.at(layer)) + weight.substr(end);
}

ImportRules marian_rules(const MarianNetwork& network) {
  ImportRules rules;
  rules.source = [layers = network.tied_layers](const std::string& weight) { return tied_name(weight, layers); };
  rules.absent = [projects = network.has_projection, biased = network.has_output_bias](const std::string& weight) {
    if (!biased && weight == "generator.bias") return AbsentWeight::kZeros;
    if (!projects && weight.ends_with("attention.output.weight")) return AbsentWeight::kIdentity;
    if (!projects && weight.ends_with("attention.output.bias")) return AbsentWeight::kZeros;
    return AbsentWeight::kRefused;
  };
  rules.ignored = has_no_effect;
  return rules;
}

/// The vocabulary and the SentencePiece model of a side.
struct MarianSide {
  Vocabulary table;
  std::string sentencepiece, file;  ///< bytes, and the name of their file
};

class MarianImport {
 public:
  explicit MarianImport(const ImportSettings& settings) : settings_(settings) {}

  ImportedModel run() {
    auto& report = model_.report;
    report.formulas = settings_.formulas.value_or(ModelFamily::kMarian);
    report.format = "Marian";
    files_ = find_marian_files(settings_, report.refusals);
    if (files_.model.empty()) return std::move(model_);
    report.format = files_.is_package ? "OPUS-MT package" : "Marian " + files_.model.extension().string().substr(1);
    model_.files = {files_.model};
    if (files_.decoder) model_.files.push_back(*files_.decoder);
    for (const auto* list : {&files_.tables, &files_.sentencepieces})
      model_.files.insert(model_.files.end(), list->begin(), list->end());
    file_ = open_marian(files_.model);
    const auto options = MarianOptions::of_model(*file_);
    set_network(options);
    add_tokenizers();
    set_search(options);
    model_.provenance = {{"format", report.format}, {"options", network_.options}};
    return std::move(model_);
  }

 private:
  void set_network(const MarianOptions& options) {
    auto& report = model_.report;
    network_ = marian_network(options, report.formulas, report.refusals);
    report.notes = network_.notes;
    auto& config = network_.model;
    if (config.positions == Positions::kLearned && file_->has("Wpos") && !file_->info("Wpos").shape.empty())
      config.max_positions = std::max<std::int64_t>(1, file_->info("Wpos").shape.front());
    model_.config.model = config;
    const auto rows = [&](const char* weight, std::size_t side) {
      return piece_rows(rows_there(*file_, weight, config, options, side), kMarianSpecials);
    };
    source_rows_ = rows(kSourceEmbedding, 0);
    target_rows_ = config.tie_embeddings == TieEmbeddings::kAll ? source_rows_ : rows(kTargetEmbedding, 1);
    for (const auto* side : {&source_rows_, &target_rows_})
      report.refusals.require(side->foreign_size > 2 && side->foreign_size <= TokenizerConfig::kMaxVocabulary,
                              "dim-vocabs: wanted 3 to " + std::to_string(TokenizerConfig::kMaxVocabulary) +
                                  " pieces, got " + std::to_string(side->foreign_size));
    if (!network_.is_transformer) return;
    model_.weights = std::make_shared<ImportedWeights>(
        file_, WeightMap(ModelFamily::kMarian, config, source_rows_, target_rows_), marian_rules(network_));
    model_.weights->compare(report);
    const auto names = file_->names();
    if (std::ranges::any_of(names, [&](const auto& name) { return file_->info(name).quantized; }))
      report.notes.push_back(
          "the matrices are integers of intgemm; --precision int8 keeps those of 8 bits as they are");
  }

  MarianSide read_side(const std::filesystem::path& table, const std::filesystem::path& sentencepiece) {
    MarianSide side{.table = read_vocabulary(table), .sentencepiece = {}, .file = printable(sentencepiece.string())};
    side.sentencepiece =
        table == sentencepiece ? side.table.sentencepiece : read_vocabulary(sentencepiece).sentencepiece;
    const auto is_one_of = [&](std::size_t id, std::initializer_list<std::string_view> names) {
      return id < side.table.pieces.size() && std::ranges::find(names, side.table.pieces[id]) != names.end();
    };
    auto& refusals = model_.report.refusals;
    refusals.require(is_one_of(0, {"</s>", "<eos>", "eos"}) && is_one_of(1, {"<unk>", "UNK", "unk"}),
                     side.table.name + ": wanted </s> and <unk> as ids 0 and 1, as Marian has them");
    refusals.require(!side.sentencepiece.empty(), side.file + ": wanted a SentencePiece model");
    return side;
  }

  void add_tokenizers() {
    const auto &tables = files_.tables, &models = files_.sentencepieces;
    auto& report = model_.report;
    if (models.empty() || models.size() > 2 || tables.size() > 2) return;  // refused already
    const auto source = read_side(tables.empty() ? models.front() : tables.front(), models.front());
    const auto target = read_side(tables.empty() ? models.back() : tables.back(), models.back());
    const bool same_table = source.table.pieces == target.table.pieces && source_rows_ == target_rows_;
    const bool joint = same_table && source.sentencepiece == target.sentencepiece;
    auto& config = model_.config;
    config.tokenizer.joint = joint;
    config.tokenizer.shared_ids = same_table && !joint;
    if (config.model.tie_embeddings == TieEmbeddings::kAll)
      report.refusals.require(same_table, "tied-embeddings-all: wanted one vocabulary for both languages, got " +
                                              source.table.name + " and " + target.table.name);
    if (!report.refusals.empty()) return;
    const auto add = [&](const char* name, const MarianSide& side, const PieceRows& rows) {
      const auto vocabulary = mapped_vocabulary(side.table.pieces, rows, normalizer());
      add_tokenizer(model_, name, vocabulary, side.sentencepiece, side.file, side.table.name);
    };
    add(joint ? kJointTokenizer : kSourceTokenizer, source, source_rows_);
    if (!report.tokenizers.front().languages.empty()) config.tokenizer.source_tag = SourceTag::kTarget;
    if (!joint) add(kTargetTokenizer, target, target_rows_);
    set_languages(model_, settings_);
    if (files_.preprocess && files_.is_package)
      if (const auto difference = preprocessing_difference(read_file(*files_.preprocess, kMaxScript));
          !difference.empty())
        report.notes.push_back(difference);
  }

  MappedVocabulary::Normalizer normalizer() const {
    return files_.is_package ? MappedVocabulary::Normalizer::kOpusMt : MappedVocabulary::Normalizer::kNone;
  }

  void set_search(const MarianOptions& options) {
    auto& config = model_.config;
    config.data.max_length = kUsualLength;
    if (!files_.decoder) return set_marian_search(options, config.decoding, model_.report.notes);
    const auto search = MarianOptions::read(*files_.decoder);
    set_marian_search(search, config.decoding, model_.report.notes);
    if (search.has("max-length"))
      config.data.max_length = std::clamp<std::int64_t>(search.integer("max-length"), 2, kMaxLength);
  }

  const ImportSettings& settings_;
  ImportedModel model_;
  MarianFiles files_;
  std::shared_ptr<const ForeignTensors> file_;
  MarianNetwork network_;
  PieceRows source_rows_, target_rows_;
};

}  // namespace

ImportedModel import_marian(const ImportSettings& settings) { return MarianImport(settings).run(); }

}  // namespace gloss
