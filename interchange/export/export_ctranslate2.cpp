#include <memory>
#include <utility>
#include <vector>

#include <ATen/ops/cat.h>
#include <ATen/ops/where.h>

#include "common/files/atomic_file.h"
#include "common/text/printable.h"
#include "interchange/export/ctranslate2_file.h"
#include "interchange/export/export_checks.h"
#include "interchange/model_family.h"
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
    add_stack("encoder", config_.encoder_layers);
    add_stack("decoder", config_.decoder_layers);
    add_embeddings();
    add_positions();
    add_exact("decoder/projection/bias", {"generator.bias"});
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

  /// Adds linear maps of the same input as one map.
  void add_linear(const std::string& name, const std::string& module, const std::vector<std::string>& parts) {
    std::vector<std::string> matrices, biases;
    for (const auto& part : parts) {
      matrices.push_back(module + '.' + part + ".weight");
      biases.push_back(module + '.' + part + ".bias");
    }
    add_matrix(name, matrices);
    add_exact(name + "/bias", biases);
  }

  /// Adds a norm. CTranslate2 computes RMS normalization if the shift is missing.
  void add_norm(const std::string& name, const std::string& module) {
    add_exact(name + "/gamma", {module + ".weight"});
    if (config_.norm_type == NormType::kLayer) add_exact(name + "/beta", {module + ".bias"});
  }

  void add_layer(const std::string& name, const std::string& module, bool is_decoder) {
    add_linear(name + "/self_attention/linear_0", module + ".self_attention", {"query", "key", "value"});
    add_linear(name + "/self_attention/linear_1", module + ".self_attention", {"output"});
    add_norm(name + "/self_attention/layer_norm", module + ".self_attention_norm");
    if (is_decoder) {
      add_linear(name + "/attention/linear_0", module + ".cross_attention", {"query"});
      add_linear(name + "/attention/linear_1", module + ".cross_attention", {"key", "value"});
      add_linear(name + "/attention/linear_2", module + ".cross_attention", {"output"});
      add_norm(name + "/attention/layer_norm", module + ".cross_attention_norm");
    }
    const bool gated = has_gate(config_.activation);
    if (gated) add_linear(name + "/ffn/linear_0_noact", module + ".feed_forward", {"inner"});
    add_linear(name + "/ffn/linear_0", module + ".feed_forward", {gated ? "gate" : "inner"});
    add_linear(name + "/ffn/linear_1", module + ".feed_forward", {"outer"});
    add_norm(name + "/ffn/layer_norm", module + ".feed_forward_norm");
  }

  void add_stack(const std::string& stack, std::int64_t layers) {
    const bool is_decoder = stack == "decoder";
    for (std::int64_t i = 0; i < layers; ++i)
      add_layer(stack + "/layer_" + std::to_string(i), stack + ".layers." + std::to_string(i), is_decoder);
    if (config_.has_final_norm()) add_norm(stack + "/layer_norm", stack + ".norm");
    if (config_.embedding_norm)
      add_norm(stack + "/layernorm_embedding", is_decoder ? "target_embedding_norm" : "source_embedding_norm");
    variables_.add_number(stack + "/num_heads", config_.heads, at::kShort);
    variables_.add_number(stack + "/pre_norm", config_.norm == NormPlace::kPre ? 1 : 0);
    variables_.add_number(stack + "/activation", activation_names(config_.activation).ctranslate2);
    variables_.add_number(stack + "/scale_embeddings", config_.embedding_scale == EmbeddingScale::kSqrt ? 1 : 0);
    variables_.add_number(stack + "/multi_query_attention", 0);
  }

  void add_embeddings() {
    add_matrix("decoder/embeddings", {stored_name(kTargetEmbedding, config_.tie_embeddings)});
    add_tied(config_.tie_embeddings == TieEmbeddings::kAll, "encoder/embeddings_0", kSourceEmbedding);
    add_tied(config_.tie_embeddings != TieEmbeddings::kNone, "decoder/projection", kGeneratorMatrix);
  }

  /// Adds a matrix, or another name of the target's embedding if it is the same.
  void add_tied(bool tied, const std::string& name, const char* weight) {
    if (tied)
      variables_.aliases[name + "/weight"] = "decoder/embeddings/weight";
    else
      add_matrix(name, {weight});
  }

  void add_positions() {
    const std::string encoder = "encoder/position_encodings/encodings",
                      decoder = "decoder/position_encodings/encodings";
    if (config_.positions == Positions::kLearned) {
      add_exact(encoder, {"source_positions.weight"});
      add_exact(decoder, {"target_positions.weight"});
      return;
    }
    variables_.values[encoder] = [config = config_, count = positions_] {
      return make_positions(config)->forward(0, count, at::kCPU);
    };
    variables_.aliases[decoder] = encoder;
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
          {"add_source_eos", true},
          {"bos_token", tokenizer.piece(kBos)},
          {"eos_token", tokenizer.piece(kEos)},
          {"unk_token", tokenizer.piece(kUnk)},
          {"decoder_start_token", tokenizer.piece(kBos)},
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
