#include "interchange/weight_map.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <utility>

#include <ATen/Functions.h>

#include "common/error.h"
#include "model/weights.h"
#include "tensor/shape.h"

namespace gloss {
namespace {

using Names = std::vector<ForeignName>;

/// The name of a weight in a layer: "encoder.layers.2.self_attention.query.weight".
struct LayerWeight {
  std::string_view stack;  ///< "encoder"
  std::int64_t layer = 0;  ///< 2
  std::string_view part;   ///< "self_attention.query"
  std::string_view kind;   ///< "weight"
};

/// Returns the parts of the name; absent if the weight is in no layer.
std::optional<LayerWeight> in_layer(std::string_view weight) {
  constexpr std::string_view kLayers = ".layers.";
  const auto layers = weight.find(kLayers), last = weight.rfind('.');
  if (layers == weight.npos) return std::nullopt;
  const auto number = layers + kLayers.size(), part = weight.find('.', number) + 1;
  LayerWeight result{
      .stack = weight.substr(0, layers), .part = weight.substr(part, last - part), .kind = weight.substr(last + 1)};
  std::from_chars(weight.data() + number, weight.data() + part, result.layer);
  return result;
}

template <std::size_t count>
using Table = std::array<std::pair<std::string_view, std::string_view>, count>;

template <std::size_t count>
std::optional<std::string> find(const Table<count>& table, std::string_view key) {
  const auto found = std::ranges::find(table, key, &std::pair<std::string_view, std::string_view>::first);
  return found == table.end() ? std::nullopt : std::optional<std::string>(found->second);
}

// Marian: the text before and after "W" or "b".
constexpr Table<12> kMarianLinears{{{"self_attention.query", "self_*q"},
                                    {"self_attention.key", "self_*k"},
                                    {"self_attention.value", "self_*v"},
                                    {"self_attention.output", "self_*o"},
                                    {"cross_attention.query", "context_*q"},
                                    {"cross_attention.key", "context_*k"},
                                    {"cross_attention.value", "context_*v"},
                                    {"cross_attention.output", "context_*o"},
                                    {"feed_forward.inner", "ffn_*1"},
                                    {"feed_forward.outer", "ffn_*2"},
                                    {"recurrence.value", "rnn_*"},
                                    {"recurrence.gate", "rnn_*f"}}};
constexpr Table<4> kMarianNorms{{{"self_attention_norm", "self_Wo"},
                                 {"cross_attention_norm", "context_Wo"},
                                 {"feed_forward_norm", "ffn_ffn"},
                                 {"recurrence_norm", "rnn_ffn"}}};
constexpr Table<13> kHuggingFaceParts{{{"self_attention.query", "self_attn.q_proj"},
                                       {"self_attention.key", "self_attn.k_proj"},
                                       {"self_attention.value", "self_attn.v_proj"},
                                       {"self_attention.output", "self_attn.out_proj"},
                                       {"self_attention_norm", "self_attn_layer_norm"},
                                       {"cross_attention.query", "encoder_attn.q_proj"},
                                       {"cross_attention.key", "encoder_attn.k_proj"},
                                       {"cross_attention.value", "encoder_attn.v_proj"},
                                       {"cross_attention.output", "encoder_attn.out_proj"},
                                       {"cross_attention_norm", "encoder_attn_layer_norm"},
                                       {"feed_forward.inner", "fc1"},
                                       {"feed_forward.outer", "fc2"},
                                       {"feed_forward_norm", "final_layer_norm"}}};

/// Returns "encoder_l1_self_Wo_ln_scale" or "..._bias" with both suffixes, the usual one first.
Names marian_norm(const std::string& scope, std::string_view kind, bool before) {
  const auto name = scope + (kind == "weight" ? "_ln_scale" : "_ln_bias");
  Names names{{name}, {name + "_pre"}};
  if (before) std::ranges::reverse(names);
  return names;
}

Names marian_layer(const LayerWeight& weight, const ModelConfig& config) {
  const auto layer = std::string(weight.stack) + "_l" + std::to_string(weight.layer + 1) + '_';
  if (const auto norm = find(kMarianNorms, weight.part)) {
    const bool is_pre = config.norm == NormPlace::kPre;
    const auto scope = is_pre && weight.part == "recurrence_norm" ? "rnn" : *norm;
    return {marian_norm(layer + scope, weight.kind, is_pre).front()};
  }
  auto linear = find(kMarianLinears, weight.part);
  if (!linear) return {};
  const bool is_matrix = weight.kind == "weight";
  linear->replace(linear->find('*'), 1, is_matrix ? "W" : "b");
  return {{layer + *linear, is_matrix}};
}

Names marian_names(const std::string& weight, const ModelConfig& config) {
  if (const auto layer = in_layer(weight)) return marian_layer(*layer, config);
  const auto kind = weight.substr(weight.rfind('.') + 1);
  const bool is_joint = config.tie_embeddings == TieEmbeddings::kAll;
  const auto side = weight.substr(0, weight.find('.'));  // of the norms
  if (weight == kSourceEmbedding) return is_joint ? Names{{"Wemb"}} : Names{{"encoder_Wemb"}, {"Wemb"}};
  if (weight == kTargetEmbedding) return {{"decoder_Wemb"}, {"Wemb"}};
  if (weight == kGeneratorMatrix) return {{"decoder_ff_logit_out_Wt"}, {"decoder_ff_logit_out_W", true}};
  if (weight == "generator.bias") return {{"decoder_ff_logit_out_b"}};
  if (side == "source_positions" || side == "target_positions") return {{"Wpos"}};
  if (side == "source_embedding_norm") return marian_norm("encoder_emb", kind, true);
  if (side == "target_embedding_norm") return marian_norm("decoder_emb", kind, true);
  if (weight.starts_with("encoder.norm.") || weight.starts_with("decoder.norm."))
    return marian_norm(side + "_top", kind, false);
  return {};
}

Names huggingface_names(const std::string& weight, const ModelConfig& config) {
  const auto dot = weight.rfind('.');
  const auto kind = weight.substr(dot);
  if (const auto layer = in_layer(weight)) {
    const auto part = find(kHuggingFaceParts, layer->part);
    if (!part) return {};
    return {{"model." + std::string(layer->stack) + ".layers." + std::to_string(layer->layer) + '.' + *part + kind}};
  }
  const ForeignName shared{"model.shared.weight"}, source{"model.encoder.embed_tokens.weight"},
      target{"model.decoder.embed_tokens.weight"}, output{"lm_head.weight"};
  const bool is_joint = config.tie_embeddings == TieEmbeddings::kAll;
  if (weight == kSourceEmbedding) return is_joint ? Names{shared, source, target, output} : Names{source, shared};
  if (weight == kTargetEmbedding)
    return config.tie_embeddings == TieEmbeddings::kDecoder ? Names{target, output} : Names{target, shared};
  if (weight == kGeneratorMatrix) return {output};
  if (weight == "generator.bias") return {{"final_logits_bias"}};
  if (weight.starts_with("encoder.norm.")) return {{"model.encoder.layer_norm" + kind}};
  if (weight.starts_with("decoder.norm.")) return {{"model.decoder.layer_norm" + kind}};
  return {};
}

// The text between the name of a layer and "/weight" or "/bias"; rows of several weights are in one matrix.
struct Ctranslate2Part {
  std::string_view part, name;
  std::int64_t number = 0, count = 1;
};
constexpr std::array<Ctranslate2Part, 10> kCtranslate2Parts{{{"self_attention.query", "self_attention/linear_0", 0, 3},
                                                             {"self_attention.key", "self_attention/linear_0", 1, 3},
                                                             {"self_attention.value", "self_attention/linear_0", 2, 3},
                                                             {"self_attention.output", "self_attention/linear_1"},
                                                             {"cross_attention.query", "attention/linear_0"},
                                                             {"cross_attention.key", "attention/linear_1", 0, 2},
                                                             {"cross_attention.value", "attention/linear_1", 1, 2},
                                                             {"cross_attention.output", "attention/linear_2"},
                                                             {"feed_forward.gate", "ffn/linear_0"},
                                                             {"feed_forward.outer", "ffn/linear_1"}}};
constexpr Table<5> kCtranslate2Norms{{{"self_attention_norm", "self_attention/layer_norm"},
                                      {"cross_attention_norm", "attention/layer_norm"},
                                      {"feed_forward_norm", "ffn/layer_norm"},
                                      {"source_embedding_norm", "encoder/layernorm_embedding"},
                                      {"target_embedding_norm", "decoder/layernorm_embedding"}}};

Names ctranslate2_names(const std::string& weight, const ModelConfig& config) {
  const auto dot = weight.rfind('.');
  const auto is_matrix = weight.substr(dot) == ".weight";
  const std::string kind = is_matrix ? "/weight" : "/bias", norm_kind = is_matrix ? "/gamma" : "/beta";
  if (const auto layer = in_layer(weight)) {
    const auto prefix = std::string(layer->stack) + "/layer_" + std::to_string(layer->layer) + '/';
    if (const auto norm = find(kCtranslate2Norms, layer->part)) return {{prefix + *norm + norm_kind}};
    if (layer->part == "feed_forward.inner")
      return {{prefix + (has_gate(config.activation) ? "ffn/linear_0_noact" : "ffn/linear_0") + kind}};
    const auto found = std::ranges::find(kCtranslate2Parts, layer->part, &Ctranslate2Part::part);
    if (found == kCtranslate2Parts.end()) return {};
    return {{prefix + std::string(found->name) + kind, false, found->number, found->count}};
  }
  const ForeignName source{"encoder/embeddings_0/weight"}, older_source{"encoder/embeddings/weight"},
      target{"decoder/embeddings/weight"};
  if (weight == kSourceEmbedding)
    return config.tie_embeddings == TieEmbeddings::kAll ? Names{target} : Names{source, older_source};
  if (weight == kTargetEmbedding) return {target};
  if (weight == kGeneratorMatrix || weight == "generator.bias") return {{"decoder/projection" + kind}};
  if (weight == "source_positions.weight") return {{"encoder/position_encodings/encodings"}};
  if (weight == "target_positions.weight") return {{"decoder/position_encodings/encodings"}};
  if (const auto norm = find(kCtranslate2Norms, weight.substr(0, dot))) return {{*norm + norm_kind}};
  for (const std::string stack : {"encoder", "decoder"})
    if (weight.starts_with(stack + ".norm.")) return {{stack + "/layer_norm" + norm_kind}};
  return {};
}

std::vector<std::int64_t> transposed_shape(std::vector<std::int64_t> shape) {
  std::ranges::reverse(shape);
  return shape;
}

bool is_vector(std::string_view weight) { return weight.ends_with("bias") || weight.ends_with("norm.weight"); }

/// Returns `rows` of axis 0. Rows that are kNoRow are filled with `fill`.
at::Tensor take_rows(const at::Tensor& values, std::span<const std::int64_t> rows, double fill) {
  std::vector<std::int64_t> known(rows.begin(), rows.end());
  std::ranges::replace(known, PieceRows::kNoRow, 0);
  auto result = values.index_select(0, at::tensor(known, at::kLong));
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i] == PieceRows::kNoRow) result.select(0, static_cast<std::int64_t>(i)).fill_(fill);
  return result;
}

}  // namespace

std::vector<ForeignName> foreign_names(ModelFamily family, const std::string& weight, const ModelConfig& config) {
  switch (family) {
    case ModelFamily::kMarian:
      return marian_names(weight, config);
    case ModelFamily::kHuggingFace:
      return huggingface_names(weight, config);
    case ModelFamily::kCtranslate2:
      return ctranslate2_names(weight, config);
  }
  return {};
}

std::vector<std::int64_t> residual_axes(std::string_view weight) {
  const auto dot = weight.rfind('.');
  const auto module = weight.substr(0, dot);
  const bool vector = weight.substr(dot) == ".bias";
  if (piece_axis(weight)) return vector ? std::vector<std::int64_t>{} : std::vector<std::int64_t>{1};
  if (module.ends_with("norm")) return {0};
  if (module.ends_with("_positions")) return {1};
  if (module.find(".recurrence.") != module.npos)
    return vector ? std::vector<std::int64_t>{0} : std::vector<std::int64_t>{0, 1};
  if (module.ends_with("attention.output") || module.ends_with(".outer")) return {0};
  return vector ? std::vector<std::int64_t>{} : std::vector<std::int64_t>{1};
}

std::optional<std::int64_t> piece_axis(std::string_view weight) {
  const bool has_pieces = weight == kSourceEmbedding || weight == kTargetEmbedding || weight.starts_with("generator.");
  return has_pieces ? std::optional<std::int64_t>(0) : std::nullopt;
}

PieceRows piece_rows(std::int64_t foreign_size, const SpecialRows& specials) {
  PieceRows result{{specials.pad, specials.unk, specials.bos, specials.eos}, foreign_size};
  const auto special = result.rows;
  for (std::int64_t row = 0; row < foreign_size; ++row)
    if (std::ranges::find(special, row) == special.end()) result.rows.push_back(row);
  return result;
}

WeightMap::WeightMap(ModelFamily family, ModelConfig config, PieceRows source, PieceRows target, bool reorders_channels)
    : family_(family),
      config_(config),
      source_(std::move(source)),
      target_(std::move(target)),
      reorders_channels_(reorders_channels) {}

const PieceRows& WeightMap::rows_of(const std::string& weight) const {
  return weight == kSourceEmbedding ? source_ : target_;
}

std::vector<std::int64_t> WeightMap::foreign_shape(const std::string& weight, const ForeignName& foreign,
                                                   std::vector<std::int64_t> shape) const {
  if (const auto axis = piece_axis(weight)) shape[static_cast<std::size_t>(*axis)] = rows_of(weight).foreign_size;
  if (foreign.transposed) return transposed_shape(std::move(shape));
  shape.front() *= foreign.parts;
  const bool is_matrix =
      family_ == ModelFamily::kMarian || (family_ == ModelFamily::kHuggingFace && weight == "generator.bias");
  if (is_matrix && shape.size() == 1) shape.insert(shape.begin(), 1);
  return shape;
}

at::Tensor WeightMap::to_gloss(const std::string& weight, const ForeignName& foreign, const at::Tensor& values,
                               std::optional<RowRange> range) const {
  const bool vector = is_vector(weight);
  if (vector && values.dim() == 2)
    expect_shape(values, {1, -1}, foreign.name);
  else
    expect_dimensions(values, vector ? 1 : 2, foreign.name);
  auto result = vector ? values.flatten() : foreign.transposed ? values.t() : values;
  if (foreign.parts > 1) result = result.chunk(foreign.parts)[static_cast<std::size_t>(foreign.part)];
  if (piece_axis(weight)) {
    const auto& rows = rows_of(weight);
    if (result.size(0) != rows.foreign_size)
      throw ShapeError(foreign.name + ": wanted " + std::to_string(rows.foreign_size) + " rows, got " +
                       std::to_string(result.size(0)));
    auto taken = std::span(rows.rows);
    if (range) taken = taken.subspan(static_cast<std::size_t>(range->first), static_cast<std::size_t>(range->count));
    result = take_rows(result, taken, vector ? PieceRows::kNoRowBias : 0);
  }
  if (reorders_channels_)
    for (const auto axis : residual_axes(weight)) result = alternate_channels(result, axis);
  return result.contiguous();
}

at::Tensor WeightMap::to_foreign(const std::string& weight, const ForeignName& foreign,
                                 const at::Tensor& values) const {
  auto result = values;
  if (reorders_channels_)
    for (const auto axis : residual_axes(weight)) result = separate_channels(result, axis);
  if (piece_axis(weight)) {
    const auto& rows = rows_of(weight);
    std::vector<std::int64_t> pieces(static_cast<std::size_t>(rows.foreign_size), PieceRows::kNoRow);
    for (std::size_t id = 0; id < rows.rows.size(); ++id)
      if (rows.rows[id] != PieceRows::kNoRow)
        pieces[static_cast<std::size_t>(rows.rows[id])] = static_cast<std::int64_t>(id);
    result = take_rows(result, pieces, is_vector(weight) ? PieceRows::kNoRowBias : 0);
  }
  if (foreign.transposed) result = result.t();
  return result.contiguous().view(foreign_shape(weight, foreign, values.sizes().vec()));
}

at::Tensor alternate_channels(const at::Tensor& values, std::int64_t axis) {
  return values.unflatten(axis, {2, values.size(axis) / 2}).transpose(axis, axis + 1).flatten(axis, axis + 1);
}

at::Tensor separate_channels(const at::Tensor& values, std::int64_t axis) {
  return values.unflatten(axis, {values.size(axis) / 2, 2}).transpose(axis, axis + 1).flatten(axis, axis + 1);
}

}  // namespace gloss
