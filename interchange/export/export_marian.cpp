#include <string_view>
#include <utility>
#include <vector>

#include <ATen/Functions.h>

#include "common/files/atomic_file.h"
#include "common/special_ids.h"
#include "common/text/format.h"
#include "common/text/utf8.h"
#include "interchange/export/export_checks.h"
#include "interchange/formats/lexical_table.h"
#include "interchange/formats/marian_bin.h"
#include "interchange/formats/marian_options.h"
#include "interchange/formats/npz_file.h"
#include "interchange/model_family.h"
#include "interchange/weight_map.h"
#include "model/weights.h"
#include "tokenizer/sentencepiece_model.h"
#include "tokenizer/sentencepiece_writer.h"

namespace gloss {
namespace {

/// Number of pieces that Marian lacks: pad and bos.
constexpr std::int64_t kMissingPieces = 2;
/// intgemm multiplies by matrices of a multiple of so many rows. Unused pieces fill the vocabulary up.
constexpr std::int64_t kRowsOfIntgemm = 8;
constexpr const char* kLexicalFile = "lex.s2t.bin";

/// Returns the rows of a vocabulary of this size in Marian.
PieceRows marian_rows(std::int64_t pieces) {
  auto rows = piece_rows(pieces - kMissingPieces, kMarianSpecials);
  rows.foreign_size = (rows.foreign_size + kRowsOfIntgemm - 1) / kRowsOfIntgemm * kRowsOfIntgemm;
  return rows;
}

using YamlOptions = std::vector<std::pair<std::string, std::string>>;

std::string yaml_text(const YamlOptions& options) {
  std::string text;
  for (const auto& [key, value] : options) text += key + ": " + value + '\n';
  return text;
}

/// Returns a YAML scalar in double quotes, which is also a string of JSON. Escapes the characters that YAML does not
/// call printable or reads as line ends.
std::string yaml_quoted(const std::string& text) {
  const auto quoted = to_text(Json(text));  // without control characters below U+0020
  std::string result;
  for (const auto character : characters_of(quoted)) {
    const auto code = decode_utf8(character, 0).value.value_or(0);
    const bool is_printable = (code < 0x7F || code > 0x9F) && code != 0x2028 && code != 0x2029 && code != 0xFEFF &&
                              code != 0xFFFE && code != 0xFFFF;
    result += is_printable ? std::string(character) : formatted("\\u%04x", static_cast<unsigned>(code));
  }
  return result;
}

std::string yaml_flag(bool is_on) { return is_on ? "true" : "false"; }

/// Returns the options within the model, from which Marian builds the network.
YamlOptions model_options(const TranslationModel& model) {
  const auto& config = model.config.model;
  const auto& [source, target] = model.file.vocabularies;
  const auto number = [](std::int64_t value) { return std::to_string(value); };
  const auto sizes = [&](std::int64_t first, std::int64_t second) {
    return "[" + number(first) + ", " + number(second) + "]";
  };
  const bool pre = config.norm == NormPlace::kPre, ssru = config.decoder_layer == DecoderLayerType::kSsru;
  return {{"type", "transformer"},
          {"dim-vocabs", sizes(marian_rows(source).foreign_size, marian_rows(target).foreign_size)},
          {kUsedPiecesOption, sizes(source - kMissingPieces, target - kMissingPieces)},
          {"dim-emb", number(config.d_model)},
          {"enc-depth", number(config.encoder_layers)},
          {"dec-depth", number(config.decoder_layers)},
          {"transformer-heads", number(config.heads)},
          {"transformer-dim-ffn", number(config.d_ff)},
          {"transformer-ffn-depth", "2"},
          {"transformer-decoder-dim-ffn", number(config.d_ff_decoder.value_or(0))},
          {"transformer-decoder-ffn-depth", "0"},
          {"transformer-ffn-activation", std::string(activation_names(config.activation).marian.value())},
          {"transformer-preprocess", pre ? "n" : yaml_quoted("")},
          {"transformer-postprocess", pre ? "da" : "dan"},
          {"transformer-postprocess-emb", config.embedding_norm ? "nd" : "d"},
          {"transformer-postprocess-top", config.has_final_norm() ? "n" : yaml_quoted("")},
          {"transformer-decoder-autoreg", ssru ? "rnn" : "self-attention"},
          {"dec-cell", ssru ? "ssru" : "gru"},
          {"transformer-rnn-projection", "false"},
          {"transformer-no-projection", "false"},
          {"transformer-tied-layers", "[]"},
          {"transformer-train-positions", "false"},
          {"transformer-train-position-embeddings", "false"},
          {"transformer-guided-alignment-layer", "last"},
          {"tied-embeddings", yaml_flag(config.tie_embeddings == TieEmbeddings::kDecoder)},
          {"tied-embeddings-src", "false"},
          {"tied-embeddings-all", yaml_flag(config.tie_embeddings == TieEmbeddings::kAll)},
          {"output-omit-bias", "false"},
          {"lemma-dim-emb", "0"},
          {"input-types", "[]"},
          {"right-left", "false"},
          {"ulr", "false"},
          // Marian's versions from 1.11 on compute pre-norm networks otherwise.
          {"version", yaml_quoted(std::string(pre ? "v1.9.56" : "v1.12.0") + " (written by gloss)")}};
}

/// Returns "vocab", "source_vocab" or "target_vocab" with the ending.
std::string vocabulary_file(const std::string& tokenizer, const char* ending) {
  return (tokenizer == kJointTokenizer    ? ""
          : tokenizer == kSourceTokenizer ? "source_"
                                          : "target_") +
         std::string("vocab") + ending;
}

/// Returns the file from which Marian reads a vocabulary: one that cuts lines itself, unless the tokenizer has other
/// ids than its SentencePiece model.
std::string marian_vocabulary(const std::pair<std::string, const Tokenizer*>& named) {
  return vocabulary_file(named.first, as_mapped(*named.second) == nullptr ? ".spm" : ".yml");
}

/// Returns the options of marian-decoder.
YamlOptions decoder_options(const TranslationModel& model, WeightPrecision precision) {
  const auto& decoding = model.config.decoding;
  const auto tokenizers = named_tokenizers(model);
  YamlOptions options{
      {"relative-paths", "true"},
      {"models", precision == WeightPrecision::kInt8 ? "[model.bin]" : "[model.npz]"},
      {"vocabs", "[" + marian_vocabulary(tokenizers.front()) + ", " + marian_vocabulary(tokenizers.back()) + "]"},
      {"beam-size", std::to_string(decoding.beam_size)},
      {"normalize", formatted("%.9g", decoding.length_penalty)},
      {"word-penalty", "0"},
      {"allow-unk", yaml_flag(!decoding.no_unk)},
      {"max-length", std::to_string(model.config.max_source_length())},
      {"max-length-crop", "true"},
      {"max-length-factor", formatted("%.9g", marian_length_factor(decoding))},
      {"mini-batch", std::to_string(decoding.batch_size)},
      {"maxi-batch", "100"},
      {"maxi-batch-sort", "src"}};
  if (precision == WeightPrecision::kInt8 && model.file.description.shortlist != nullptr)
    options.emplace_back("shortlist", std::string("[") + kLexicalFile + ", false]");
  return options;
}

WeightMap marian_map(const TranslationModel& model) {
  const auto& [source, target] = model.file.vocabularies;
  return {ModelFamily::kMarian, model.config.model, marian_rows(source), marian_rows(target)};
}

/// Returns the options within a model, which end with NUL.
at::Tensor options_tensor(const TranslationModel& model) {
  auto options = yaml_text(model_options(model)) + '\0';
  return at::from_blob(options.data(), std::ssize(options), at::kChar).clone();
}

void write_npz_weights(const TranslationModel& model, const std::filesystem::path& path) {
  const auto map = marian_map(model);
  std::vector<std::pair<std::string, at::Tensor>> tensors;
  for (const auto& [weight, info] : network_weights(model.config.model, model.file.vocabularies)) {
    const auto foreign = map.names(weight).front();
    const auto values = model.file.model.weights(weight).to_float();
    tensors.emplace_back(foreign.name, map.to_foreign(weight, foreign, values));
    if (piece_axis(weight))
      tensors.emplace_back(std::string(kMissingRows) + weight, at::stack({values[kPad], values[kBos]}));
  }
  tensors.emplace_back(kMarianOptionsTensor, options_tensor(model));
  write_npz(path, tensors);
}

/// Returns a matrix in int8 with one scale, as intgemm needs it. Values that have one already stay as they are; rows of
/// zeros may have the scale 0.
StoredWeight with_one_scale(const StoredWeight& weight) {
  const auto& scales = weight.scales;
  if (scales.defined()) {
    const auto step = scales.max(), is_used = scales != 0;
    if ((scales == step).logical_or(is_used.logical_not()).all().item<bool>())
      return {weight.values * is_used.unsqueeze(1), step.expand_as(scales)};
  }
  return to_int8(weight.to_float(), Int8Scales::kMatrix);
}

/// Writes the matrices in int8, with the multipliers of their inputs if the model has scales. Marian also finds that of
/// the output matrix under a name that says nothing, which other engines need.
void write_int8_weights(const TranslationModel& model, const std::filesystem::path& path) {
  const auto map = marian_map(model);
  const auto output = stored_name(kGeneratorMatrix, model.config.model.tie_embeddings);
  std::vector<MarianTensor> tensors;
  for (const auto& [weight, info] : network_weights(model.config.model, model.file.vocabularies)) {
    const auto foreign = map.names(weight).front();
    const auto stored = model.file.model.weights(weight);
    if (stored.values.dim() != 2) {
      tensors.push_back({foreign.name, map.to_foreign(weight, foreign, stored.to_float())});
      continue;
    }
    const auto int8 = with_one_scale(stored);
    const auto step = int8.scales[0].item<float>();  // 0: all values are 0
    tensors.push_back({foreign.name, map.to_foreign(weight, foreign, int8.values), step > 0 ? 1 / step : 1});
    const auto& scales = model.file.description.input_scales;
    const auto scale = scales.find(weight);
    if (scale == scales.end()) continue;
    const auto multiplier = at::full({1}, 1 / scale->second);
    tensors.push_back({foreign.name + std::string(kInputMultiplier), multiplier});
    if (weight == output) tensors.push_back({std::string(kOutputMultiplier), multiplier});
  }
  tensors.push_back({std::string(kMarianOptionsTensor), options_tensor(model)});
  write_marian_bin(path, tensors);
}

/// Returns the shortlist by Marian's ids. Marian's frequent pieces are the first ones; the others that belong to every
/// list are proposed by the end of the source, which every source has.
LexicalTable lexical_table(const TranslationModel& model) {
  const auto& [offsets, tokens, always] = model.file.description.shortlist->table();
  const auto& [source_size, target_size] = model.file.vocabularies;
  const auto source = marian_rows(source_size), target = marian_rows(target_size);
  const auto rows_of = [&](std::span<const Id> ids) {
    std::vector<std::uint32_t> rows;
    for (const auto id : ids)
      if (const auto row = target.rows.at(static_cast<std::size_t>(id)); row != PieceRows::kNoRow)
        rows.push_back(static_cast<std::uint32_t>(row));
    std::ranges::sort(rows);
    rows.erase(std::ranges::unique(rows).begin(), rows.end());
    return rows;
  };
  std::vector<std::vector<std::uint32_t>> lists(static_cast<std::size_t>(source.foreign_size));
  LexicalTable table{.frequent = 0, .offsets = {0}, .tokens = {}};
  const auto common = rows_of(always);
  while (table.frequent < common.size() && common[table.frequent] == table.frequent) ++table.frequent;
  for (std::size_t id = 0; id < source.rows.size(); ++id) {
    if (source.rows[id] == PieceRows::kNoRow) continue;
    Ids proposed(tokens.begin() + offsets[id], tokens.begin() + offsets[id + 1]);
    if (id == kEos) proposed.insert(proposed.end(), always.begin(), always.end());
    auto& list = lists[static_cast<std::size_t>(source.rows[id])] = rows_of(proposed);
    std::erase_if(list, [&](auto row) { return row < table.frequent; });
  }
  for (const auto& list : lists) {
    table.tokens.insert(table.tokens.end(), list.begin(), list.end());
    table.offsets.push_back(table.tokens.size());
  }
  return table;
}

bool has_space(std::string_view text) { return text.find_first_of(" \t\n\v\f\r") != text.npos; }

/// Returns the pieces by Marian's ids, with its own spellings of eos and unk.
std::vector<std::string> marian_pieces(const Tokenizer& tokenizer) {
  const auto rows = marian_rows(tokenizer.vocabulary_size());
  std::vector<std::string> pieces;
  for (std::int64_t row = 0; row < rows.foreign_size; ++row) pieces.push_back(unused_piece(row));
  for (Id id = 0; id < tokenizer.vocabulary_size(); ++id) {
    const auto row = rows.rows.at(static_cast<std::size_t>(id));
    if (row == PieceRows::kNoRow) continue;
    pieces.at(static_cast<std::size_t>(row)) = id == kEos ? "</s>" : id == kUnk ? "<unk>" : tokenizer.piece(id);
  }
  return pieces;
}

/// Returns a map of pieces to Marian's ids.
std::string vocabulary_text(const Tokenizer& tokenizer) {
  YamlOptions entries;
  for (const auto& piece : marian_pieces(tokenizer))
    entries.emplace_back(yaml_quoted(piece), std::to_string(entries.size()));
  return yaml_text(entries);
}

}  // namespace

Refusals marian_refusals(const TranslationModel& model, WeightPrecision precision) {
  ExportChecks checks(model);
  checks.expect("architecture", {"transformer"});
  if (!checks.refusals.empty()) return checks.refusals;
  checks.refusals.require(precision != WeightPrecision::kBfloat16, "--precision: wanted float32 or int8, got bfloat16");
  checks.expect("position_frequencies", {"tensor2tensor"});
  checks.refusals.require(model.config.model.d_model > 2,
                          "model.d_model: wanted at least 4, got 2; Marian's frequencies divide by d_model / 2 - 1");
  checks.expect("decoder_start", {"zero"});
  checks.expect("layer_norm_epsilon", {kMarianEpsilon});
  checks.expect("positions", {"sinusoidal"});
  checks.expect("first_position", {0});
  checks.expect_activation(&ActivationNames::marian);
  const auto& config = model.config.model;
  checks.refusals.require(config.norm == NormPlace::kPost || !config.norms_keys(),
                          "model.self_attention_norm: wanted query with model.norm pre, got all; in pre-norm, Marian "
                          "does not norm keys and values of self-attention; train with model.self_attention_norm "
                          "query, or with model.norm post");
  checks.expect("norm_type", {"layer"});
  checks.expect("residual", {true});
  checks.expect("attention_score", {"scaled_dot"});
  checks.expect("encoder_mask", {"full"});
  checks.expect("embedding_scale", {"sqrt"});
  checks.expect_zero_start();
  checks.expect_no_normalizer();
  checks.refusals.require(model.source_tokenizer->has_source_eos(),
                          "wanted a network that reads </s> at the end of a source, got one without");
  checks.expect_languages();
  for (const auto& [name, tokenizer] : named_tokenizers(model)) checks.expect_distinct(name, marian_pieces(*tokenizer));
  checks.refusals.require(!model.config.tokenizer.target_tag,
                          "tokenizer.target_tag: wanted false, got true; Marian forces no beginning of a translation");
  if (!checks.refusals.empty()) return checks.refusals;
  const auto source = model.tagged_tokenizers().first;
  checks.refusals.require(!source->tag() || !has_space(source->piece(*source->tag())),
                          "wanted a language tag of the source without white space, at which Marian splits lines");
  const auto map = marian_map(model);
  for (const auto& [weight, info] : network_weights(model.config.model, model.file.vocabularies))
    checks.refusals.require(!map.names(weight).empty(), weight + ": wanted a weight of Marian's networks");
  return checks.refusals;
}

std::string export_marian(const TranslationModel& model, WeightPrecision precision, OutputFolder& folder) {
  if (precision == WeightPrecision::kInt8) {
    write_int8_weights(model, folder.file("model.bin"));
    if (model.file.description.shortlist != nullptr)
      write_file(folder.file(kLexicalFile), lexical_table_bytes(lexical_table(model)));
  } else {
    write_npz_weights(model, folder.file("model.npz"));
  }
  write_file(folder.file("decoder.yml"), yaml_text(decoder_options(model, precision)));
  for (const auto& [name, tokenizer] : named_tokenizers(model)) {
    write_file(folder.file(vocabulary_file(name, ".yml")), vocabulary_text(*tokenizer));
    if (as_mapped(*tokenizer) == nullptr)
      write_file(folder.file(vocabulary_file(name, ".spm")),
                 marian_sentencepiece(tokenizer->serialized(), marian_rows(tokenizer->vocabulary_size()).foreign_size));
    write_file(folder.file(name), sentencepiece_bytes(*tokenizer));
  }
  return marian_readme(model, precision);
}

}  // namespace gloss
