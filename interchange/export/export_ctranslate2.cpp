#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <ATen/ops/cat.h>
#include <ATen/ops/where.h>

#include "common/files/atomic_file.h"
#include "common/text/printable.h"
#include "common/version.h"
#include "interchange/export/ctranslate2_file.h"
#include "interchange/export/export_checks.h"
#include "interchange/model_family.h"
#include "interchange/weight_map.h"
#include "model/make_model.h"
#include "model/storage/stored_weights.h"
#include "model/weights.h"

namespace gloss {
namespace {

/// A matrix as CTranslate2 stores it: value = int8 / divisor.
struct DividedInt8 {
  at::Tensor values;    ///< [out, in] int8
  at::Tensor divisors;  ///< [out] float32, the reciprocals of gloss's scales
};

/// Returns matrices quantized by row, one below the other. A row whose scale has no finite reciprocal becomes zeros
/// with divisor 1: its values are 0, or below 1e-36.
DividedInt8 divided_int8(const std::vector<StoredWeight>& weights) {
  std::vector<at::Tensor> values, scales;
  for (const auto& weight : weights) {
    auto part = weight.as_int8();
    values.push_back(std::move(part.values));
    scales.push_back(std::move(part.scales));
  }
  const auto reciprocals = at::cat(scales).reciprocal();
  const auto usable = reciprocals.isfinite();
  return {at::cat(values).masked_fill_(usable.logical_not().unsqueeze(1), 0), at::where(usable, reciprocals, 1.0F)};
}

/// Returns weights as float32, the rows of one below those of another.
at::Tensor float_rows(const WeightSource& source, const std::vector<std::string>& weights) {
  std::vector<at::Tensor> parts;
  for (const auto& weight : weights) parts.push_back(source(weight).to_float());
  return parts.size() == 1 ? parts.front() : at::cat(parts);
}

/// Collects the variables of a model under the names of CTranslate2.
class VariableWriter {
 public:
  VariableWriter(const TranslationModel& model, WeightPrecision precision)
      : config_(model.config.model),
        weights_(model.file.model.weights),
        precision_(precision),
        positions_(exported_positions(model)) {
    add_weights(model.file.vocabularies);
    add_switches("encoder");
    add_switches("decoder");
    add_positions();
    variables_.add_number("encoder/embeddings_merge", 0);
    variables_.add_number("decoder/start_from_zero_embedding", config_.starts_from_zero() ? 1 : 0);
    variables_.add_number("decoder/alignment_layer", -1, at::kShort);
    variables_.add_number("decoder/alignment_heads", 0,
                          at::kShort);  // the mean of all heads of the last layer, as in gloss
    for (const auto* flag : {"alibi", "alibi_use_positive_positions", "scale_alibi"})
      variables_.add_number(std::string("decoder/") + flag, 0);
  }

  Ctranslate2Variables take() { return std::move(variables_); }

 private:
  /// Adds the rows of several matrices, one below the other, as `name`/weight.
  void add_matrix(const std::string& name, const std::vector<std::string>& weights) {
    auto& values = variables_.values;
    if (precision_ != WeightPrecision::kInt8) {
      const bool rounds = precision_ == WeightPrecision::kBfloat16;
      values[name + "/weight"] = [source = weights_, weights, rounds] {
        const auto rows = float_rows(source, weights);
        return rounds ? in_half(rows, at::kBFloat16) : rows;
      };
      return;
    }
    // Variables are written in the order of their names: the scales follow the values.
    const auto divisors = std::make_shared<at::Tensor>();
    values[name + "/weight"] = [source = weights_, weights, divisors] {
      std::vector<StoredWeight> parts;
      for (const auto& weight : weights) parts.push_back(source(weight));
      auto quantized = divided_int8(parts);
      *divisors = std::move(quantized.divisors);
      return std::move(quantized.values);
    };
    values[name + "/weight_scale"] = [divisors] { return *divisors; };
  }

  /// Adds weights that are never rounded: vectors, one after the other, or a table of positions.
  void add_exact(const std::string& name, const std::vector<std::string>& weights) {
    variables_.values[name] = [source = weights_, weights] { return float_rows(source, weights); };
  }

  /// Adds the weights under the names of the import. A matrix has the rows of one weight or of several.
  void add_weights(const Vocabularies& vocabularies) {
    std::map<std::string, std::vector<std::string>> variables;
    for (const auto& [weight, info] : network_weights(config_, vocabularies)) {
      const auto place = foreign_names(ModelFamily::kCtranslate2, weight, config_).front();
      auto& parts = variables[place.name];
      parts.resize(static_cast<std::size_t>(place.parts));
      parts[static_cast<std::size_t>(place.part)] = weight;
    }
    constexpr std::string_view kMatrix = "/weight";
    for (const auto& [name, weights] : variables)
      if (name.ends_with(kMatrix))
        add_matrix(name.substr(0, name.size() - kMatrix.size()), weights);
      else
        add_exact(name, weights);
    const auto tie = config_.tie_embeddings;
    auto& aliases = variables_.aliases;
    if (tie == TieEmbeddings::kAll) aliases["encoder/embeddings_0/weight"] = "decoder/embeddings/weight";
    if (tie != TieEmbeddings::kNone) aliases["decoder/projection/weight"] = "decoder/embeddings/weight";
  }

  void add_switches(const std::string& stack) {
    variables_.add_number(stack + "/num_heads", config_.heads, at::kShort);
    variables_.add_number(stack + "/pre_norm", config_.norm == NormPlace::kPre ? 1 : 0);
    variables_.add_number(stack + "/activation", activation_names(config_.activation).ctranslate2);
    variables_.add_number(stack + "/scale_embeddings", config_.embedding_scale == EmbeddingScale::kSqrt ? 1 : 0);
    variables_.add_number(stack + "/multi_query_attention", 0);
  }

  void add_positions() {
    if (config_.positions == Positions::kLearned) return;  // among the weights
    const std::string encoder = "encoder/position_encodings/encodings";
    variables_.values[encoder] = [config = config_, count = positions_] {
      return make_positions(config)->forward(0, count, at::kCPU);
    };
    variables_.aliases["decoder/position_encodings/encodings"] = encoder;
  }

  ModelConfig config_;
  WeightSource weights_;
  WeightPrecision precision_;
  std::int64_t positions_;
  Ctranslate2Variables variables_;
};

Json ctranslate2_config(const TranslationModel& model) {
  const auto& config = model.config.model;
  const auto& tokenizer = *model.target_tokenizer;
  const bool has_usual_norms = config.norm_type == NormType::kLayer && config.layer_norm_epsilon == 1e-5;
  return {{"add_source_bos", false},
          {"add_source_eos", model.source_tokenizer->has_source_eos()},
          {"bos_token", tokenizer.piece(kBos)},
          {"eos_token", tokenizer.piece(kEos)},
          {"unk_token", tokenizer.piece(kUnk)},
          {"decoder_start_token", tokenizer.piece(kBos)},
          {"exported_by", "gloss " + std::string(kVersion)},
          {"layer_norm_epsilon", has_usual_norms ? Json() : Json(config.layer_norm_epsilon)},
          {"multi_query_attention", false}};
}

/// Adds a reason for special pieces with different spellings in the two vocabularies: CTranslate2 has one spelling.
void check_special_pieces(const TranslationModel& model, Refusals& refusals) {
  const auto target = pieces_by_id(*model.target_tokenizer);
  for (const auto& [name, tokenizer] : named_tokenizers(model)) {
    for (Id id = 0; id < kSpecialIds; ++id)
      refusals.require(
          tokenizer->piece(id) == target.at(static_cast<std::size_t>(id)),
          name + ": wanted the special pieces of the target's tokenizer, got " + printable(tokenizer->piece(id)));
  }
}

}  // namespace

Refusals ctranslate2_refusals(const TranslationModel& model, WeightPrecision) {
  ExportChecks checks(model);
  checks.expect("architecture", {"transformer"});
  if (!checks.refusals.empty()) return checks.refusals;
  checks.expect("self_attention_norm", {"all"});
  checks.expect("norm_type", {"layer", "rms"});
  checks.expect("residual", {true});
  checks.expect("attention_score", {"scaled_dot"});
  checks.expect("encoder_mask", {"full"});
  checks.expect("decoder_layer", {"attention"});
  checks.expect("positions", {"sinusoidal", "learned", "none"});
  checks.expect_no_normalizer();
  checks.expect_languages();
  for (const auto& [name, tokenizer] : named_tokenizers(model)) checks.expect_distinct(name, pieces_by_id(*tokenizer));
  check_special_pieces(model, checks.refusals);
  return checks.refusals;
}

std::string export_ctranslate2(const TranslationModel& model, WeightPrecision precision, OutputFolder& folder) {
  write_ctranslate2_file(folder.file("model.bin"), VariableWriter(model, precision).take());
  write_file(folder.file("config.json"), to_pretty_text(ctranslate2_config(model)));
  for (const auto& [name, tokenizer] : named_tokenizers(model)) {
    const auto side = name == kJointTokenizer ? "shared" : name == kSourceTokenizer ? "source" : "target";
    write_file(folder.file(std::string(side) + "_vocabulary.json"), to_pretty_text(pieces_by_id(*tokenizer)));
    write_file(folder.file(name), sentencepiece_bytes(*tokenizer));
  }
  return ctranslate2_readme(model, precision);
}

}  // namespace gloss
