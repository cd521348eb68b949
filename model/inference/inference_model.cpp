#include "model/inference/inference_model.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include "common/error.h"
#include "kernels/kernel_table.h"
#include "model/inference/inference_encoder.h"
#include "model/inference/inference_rows.h"
#include "model/make_model.h"
#include "tensor/shape.h"

namespace gloss {
namespace {

float* row_of(const at::Tensor& matrix, std::int64_t row) {
  return matrix.mutable_data_ptr<float>() + row * matrix.size(1);
}

PositionalEncoding positions_of(const WeightSource& weights, const ModelConfig& config, const std::string& side) {
  auto positions = make_positions(config);
  const at::NoGradGuard no_grad;
  for (const auto& item : positions->named_parameters())  // of learned positions
    item.value().copy_(weights(side + "_positions." + item.key()).to_float());
  return positions;
}

void expect_source(const PaddedIds& source, std::int64_t S, std::int64_t vocabulary) {
  expect_shape(source.ids, {static_cast<std::int64_t>(source.lengths.size()), S}, "source");
  for (const auto length : source.lengths) {
    if (length < 0 || length > S)
      throw ShapeError("source: wanted lengths from 0 to " + std::to_string(S) + ", got " + std::to_string(length));
  }
  const auto ids = source.ids.contiguous();
  // Ids become memory offsets, so they are checked.
  expect_ids(std::span(ids.const_data_ptr<std::int64_t>(), static_cast<std::size_t>(ids.numel())), vocabulary,
             "source");
}

// Drops the states of a recurrence before the last step.
void keep_last_states(InferenceState& state) {
  for (auto& entries : state.generated) entries = {entries.back()};
  state.blocks = {state.blocks.front(), state.blocks.back()};  // the memory and this step
}

// Copies the weights of a head from [H, step_attention_row(S)] to result [S], or their mean over all heads.
void copy_weights(const std::vector<float>& weights, std::int64_t H, std::size_t S, std::optional<std::int64_t> head,
                  float* result) {
  const auto stride = static_cast<std::size_t>(kernels::step_attention_row(static_cast<std::int64_t>(S)));
  if (head) {
    std::copy_n(weights.begin() + *head * static_cast<std::int64_t>(stride), S, result);
    return;
  }
  for (std::size_t s = 0; s < S; ++s) {
    float sum = 0;
    for (std::size_t h = 0; h < static_cast<std::size_t>(H); ++h) sum += weights[h * stride + s];
    result[s] = sum / static_cast<float>(H);
  }
}

}  // namespace

void InferenceState::select(const std::vector<std::int64_t>& sentences_kept, const std::vector<std::int64_t>& parents) {
  const auto kept = static_cast<std::int64_t>(sentences_kept.size());
  if (kept == 0 ? !parents.empty() : parents.size() % sentences_kept.size() != 0) {
    throw ShapeError("parents: wanted as many for each of " + std::to_string(kept) + " sentences, got " +
                     std::to_string(parents.size()));
  }
  const auto width = kept == 0 ? rows : static_cast<std::int64_t>(parents.size()) / kept;  // K'
  std::vector<Entries> next_memory, next_generated;
  TokenLists next_lists;
  for (std::int64_t b = 0; b < kept; ++b) {
    const auto sentence = index_below(sentences_kept[static_cast<std::size_t>(b)], sentences(), "sentences");
    next_memory.push_back(memory[sentence]);
    if (!lists.empty()) next_lists.push_back(lists[sentence]);
    for (std::int64_t k = 0; k < width; ++k) {
      const auto parent = index_below(parents[static_cast<std::size_t>(b * width + k)], rows, "parents");
      auto& entries = next_generated.emplace_back();
      entries.reserve(generated[sentence * static_cast<std::size_t>(rows) + parent].size() + 1);
      entries = generated[sentence * static_cast<std::size_t>(rows) + parent];
    }
  }
  memory = std::move(next_memory);
  generated = std::move(next_generated);
  lists = std::move(next_lists);
  rows = width;
}

bool InferenceModel::supports(const ModelConfig& config) {
  constexpr std::array kActivations{Activation::kRelu, Activation::kGelu, Activation::kGeluSigmoid, Activation::kSwish};
  const bool activation = std::ranges::find(kActivations, config.activation) != kActivations.end();
  const bool positions = config.positions == Positions::kSinusoidal || config.positions == Positions::kLearned;
  return config.is_transformer() && activation && positions && config.norm_type == NormType::kLayer &&
         config.residual && config.attention_score == AttentionScore::kScaledDot &&
         config.encoder_mask == EncoderMask::kFull && config.embedding_scale == EmbeddingScale::kSqrt;
}

InferenceModel::InferenceModel(const LazyModel& model, const ModelConfig& config, kernels::Precision precision)
    : config_(config),
      shortlist_(model.shortlist),
      weights_(inference_weights(model, config, precision)),
      source_positions_(positions_of(model.weights, config, "source")),
      target_positions_(positions_of(model.weights, config, "target")) {}

InferenceState InferenceModel::start(const PaddedIds& source) const {
  const auto S = sizes<2>(source.ids, "source")[1];
  expect_source(source, S, weights_.source_embedding.values.size(0));
  const auto positions = source_positions_(0, S, at::Device(at::kCPU));  // [S, D]
  const auto memory = inference_memory(weights_, config_, source, positions);

  InferenceState state;
  const auto* entry = memory.const_data_ptr<float>();
  for (const auto length : source.lengths) {
    auto& entries = state.memory.emplace_back();
    for (std::int64_t s = 0; s < length; ++s, entry += memory.size(1)) entries.push_back(entry);
  }
  state.source_length = S;
  state.generated.resize(source.lengths.size());
  state.blocks.push_back(memory);
  return state;
}

InferenceState InferenceModel::start(const PaddedIds& source, std::span<const Ids> wanted) const {
  auto state = start(source);
  if (shortlist_ == nullptr) return state;
  if (wanted.size() != source.lengths.size())
    throw ShapeError("wanted: wanted tokens for each of " + std::to_string(source.lengths.size()) + " sentences, got " +
                     std::to_string(wanted.size()));
  const auto ids = source.ids.contiguous();
  const auto* id = ids.const_data_ptr<std::int64_t>();
  for (std::size_t b = 0; b < wanted.size(); ++b, id += ids.size(1))
    state.lists.push_back(std::make_shared<const ListedOutputs>(
        weights_.generator, weights_.generator_rows,
        shortlist_->list({id, static_cast<std::size_t>(source.lengths[b])}, wanted[b])));
  return state;
}

InferenceModel::Output InferenceModel::step(InferenceState& state, std::span<const Id> tokens,
                                            const std::optional<AttentionSite>& site) const {
  const auto rows = state.sentences() * state.rows;
  Output output{at::empty({rows, config_.d_model}, at::kFloat), {}};
  if (site) output.attention = at::zeros({rows, state.source_length}, at::kFloat);
  step(state, tokens, site, output);
  return output;
}

at::Tensor InferenceModel::step_attention(InferenceState& state, std::span<const Id> tokens,
                                          const AttentionSite& site) const {
  const Output output{{}, at::zeros({state.sentences() * state.rows, state.source_length}, at::kFloat)};
  step(state, tokens, site, output);
  return output.attention;
}

void InferenceModel::step(InferenceState& state, std::span<const Id> tokens, const std::optional<AttentionSite>& site,
                          const Output& output) const {
  const auto rows = state.sentences() * state.rows;
  if (std::ssize(tokens) != rows)
    throw ShapeError("tokens: wanted " + std::to_string(rows) + ", got " + std::to_string(tokens.size()));
  expect_ids(tokens, weights_.target_embedding.values.size(0), "tokens");
  const auto positions = target_positions_(state.position, 1, at::Device(at::kCPU));  // [1, D]
  const auto entry = config_.decoder_layers * width_of_entry();
  const auto block = at::empty({rows, entry}, at::kFloat);
  state.blocks.push_back(block);
  for (std::int64_t row = 0; row < rows; ++row)
    state.generated[static_cast<std::size_t>(row)].push_back(block.const_data_ptr<float>() + row * entry);

  over_rows(rows, [&](std::int64_t first, std::int64_t last) {
    step_rows(state, {first, last, tokens, positions.const_data_ptr<float>(), block.mutable_data_ptr<float>()}, site,
              output);
  });
  ++state.position;
  if (!config_.has_decoder_self_attention()) keep_last_states(state);
}

std::int64_t InferenceModel::width_of_entry() const {
  return config_.has_decoder_self_attention() ? 2 * config_.d_model : config_.d_model;
}

void InferenceModel::step_rows(const InferenceState& state, const RowRange& range,
                               const std::optional<AttentionSite>& site, const Output& output) const {
  const auto D = config_.d_model, H = config_.heads, width = width_of_entry(), entry = config_.decoder_layers * width;
  const auto count = range.last - range.first;
  const auto buffer = at::empty({count * InferenceRows::width(config_)}, at::kFloat);
  const InferenceRows rows(config_, count, buffer.mutable_data_ptr<float>());
  for (std::int64_t r = 0; r < count; ++r) {
    const auto token = range.tokens[static_cast<std::size_t>(range.first + r)];
    if (config_.starts_from_zero() && token == kBos)
      rows.embed_zero(r, range.position);
    else
      rows.embed(r, token, weights_.target_embedding, range.position);
  }
  rows.normalize(weights_.target_embedding_norm);

  std::vector<float> weights;
  const auto attend = [&](std::int64_t r, const InferenceState::Entries& entries, std::int64_t offset) {
    const auto seen = std::ssize(entries);
    weights.resize(static_cast<std::size_t>(H * kernels::step_attention_row(seen)));
    if (seen == 0) return std::fill_n(rows.context(r), D, 0.0F), void();
    kernels::kernel_table().step_attention({rows.wide(D).data + r * D, entries.data(), seen, offset, offset + D, H,
                                            D / H, rows.context(r), weights.data()});
  };
  for (std::size_t l = 0; l < weights_.decoder.size(); ++l) {
    const auto& layer = weights_.decoder[l];
    const auto offset = static_cast<std::int64_t>(l) * 2 * D;  // in entries of the memory
    const auto of_layer = static_cast<std::int64_t>(l) * width;
    const kernels::MutableRows kept{range.entries + range.first * entry + of_layer, entry};
    const auto generated = [&](std::int64_t r) -> const InferenceState::Entries& {
      return state.generated[static_cast<std::size_t>(range.first + r)];
    };
    if (config_.has_decoder_self_attention()) {
      rows.attention(layer.self_attention.norm, layer.self_attention.output, [&](kernels::Rows input) {
        layer.self_attention.query.apply(input, count, rows.wide(D));
        layer.self_attention.keys_and_values.apply(rows.attended(input), count, kept);
        for (std::int64_t r = 0; r < count; ++r) attend(r, generated(r), of_layer);
      });
    } else {
      const auto previous = [&](std::int64_t r) {
        const auto& steps = generated(r);  // the last one is that of this step
        return steps.size() < 2 ? nullptr : steps[steps.size() - 2] + of_layer;
      };
      rows.recurrence(layer.recurrence, previous, kept);
    }
    const bool shown = site && static_cast<std::int64_t>(l) == site->layer.value_or(config_.decoder_layers - 1);
    rows.attention(layer.cross_attention.norm, layer.cross_attention.output, [&](kernels::Rows input) {
      layer.cross_attention.query.apply(input, count, rows.wide(D));
      for (std::int64_t r = 0; r < count; ++r) {
        const auto& entries = state.memory[static_cast<std::size_t>((range.first + r) / state.rows)];
        attend(r, entries, offset);
        if (shown) copy_weights(weights, H, entries.size(), site->head, row_of(output.attention, range.first + r));
      }
    });
    if (shown && !output.x.defined()) return;
    rows.feed_forward(layer.feed_forward);
  }
  rows.normalize(weights_.decoder_norm);
  std::copy_n(rows.x(0), count * D, row_of(output.x, range.first));
}

InferenceModel::Logits InferenceModel::logits(const at::Tensor& x, const TokenLists& lists) const {
  const auto in = rows_of(x, -1);
  const auto result = at::empty({x.size(0), vocabulary_size()}, at::kFloat);
  const kernels::MutableRows all{row_of(result, 0), result.size(1)};
  auto top = lists.empty() ? gloss::top_tokens(weights_.generator, in, x.size(0), 1, all)
                           : gloss::top_tokens(lists, in, x.size(0), 1, all);
  return {result, std::move(top.log_normalizers)};
}

TopTokens InferenceModel::top_tokens(const at::Tensor& x, std::int64_t width, const TokenLists& lists) const {
  if (width < 1 || width > vocabulary_size())
    throw ShapeError("width: wanted 1 to " + std::to_string(vocabulary_size()) + ", got " + std::to_string(width));
  return lists.empty() ? gloss::top_tokens(weights_.generator, rows_of(x, -1), x.size(0), width)
                       : gloss::top_tokens(lists, rows_of(x, -1), x.size(0), width);
}

// Returns the rows of x [rows, D]; rows = -1: any number.
kernels::Rows InferenceModel::rows_of(const at::Tensor& x, std::int64_t rows) const {
  expect_shape(x, {rows, config_.d_model}, "x");
  if (!x.is_contiguous() || x.scalar_type() != at::kFloat)
    throw ShapeError("x: wanted contiguous rows of floats, as returned by a step");
  return {x.const_data_ptr<float>(), x.size(1)};
}

std::vector<double> InferenceModel::logits_of(const at::Tensor& x, std::span<const Id> next) const {
  const auto in = rows_of(x, static_cast<std::int64_t>(next.size()));
  const auto matrix = weights_.generator.matrix();
  const PackedScratch scratch(matrix, 1);
  std::vector<float> row(static_cast<std::size_t>(kernels::panels_of(matrix.columns) * kernels::kPanelColumns));
  std::vector<double> result;
  for (std::size_t r = 0; r < next.size(); ++r) {
    const auto id = index_below(next[r], matrix.columns, "next");
    const auto panel = static_cast<std::int64_t>(id) / kernels::kPanelColumns;  // the only panel that is computed
    kernels::kernel_table().packed_product({{in.data + static_cast<std::int64_t>(r) * in.stride, in.stride},
                                            1,
                                            matrix,
                                            panel,
                                            panel + 1,
                                            {row.data(), matrix.columns},
                                            kernels::Finish::kStore,
                                            scratch.data()});
    result.push_back(row[id]);
  }
  return result;
}

}  // namespace gloss
