#include "explain/interventions.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/log_softmax.h>
#include <c10/core/InferenceMode.h>

#include "common/system/stop.h"
#include "tensor/to_device.h"

namespace gloss {
namespace {

/// Maximum number of elements of the largest tensor of a batch, the logits or a layer's scores; 64 MiB.
constexpr std::int64_t kMaxNumbers = std::int64_t{1} << 24;

bool changes_encoder(const Removal& removal) {
  return removal.part ? removal.part->side == Part::Side::kEncoder : removal.first < removal.last;
}

/// Returns `count` copies of one sentence.
PaddedIds repeated(const PaddedIds& sentence, std::int64_t count) {
  return {sentence.ids.expand({count, -1}),
          std::vector<std::int64_t>(static_cast<std::size_t>(count), sentence.lengths.front())};
}

/// Generates the most likely token of each row, after the `given` ones, until every row has reached eos or `max_length`
/// tokens.
std::vector<Ids> greedy_rows(EncoderDecoder& model, const at::Tensor& memory, const Mask& mask,
                             std::span<const Id> given, std::int64_t max_length, const Pass& pass) {
  const auto B = memory.size(0);
  auto cache = model->start(memory, mask, pass);
  std::vector<std::int64_t> tokens(static_cast<std::size_t>(B), kBos);
  std::vector<Ids> result(tokens.size());
  std::vector<bool> ended(tokens.size());
  for (std::int64_t step = 0; step < max_length && !std::ranges::all_of(ended, std::identity()); ++step) {
    stop_where_requested();
    const auto x = model->step(to_device(tokens, model->device()).view({B, 1}), cache, pass);
    const auto best = model->generator()->logits(x).argmax(-1).to(at::kCPU);  // [B]
    for (std::size_t b = 0; b < tokens.size(); ++b) {
      const bool is_given = std::cmp_less(step, given.size());
      tokens[b] = is_given ? given[static_cast<std::size_t>(step)] : best.const_data_ptr<std::int64_t>()[b];
      ended[b] = ended[b] || tokens[b] == kEos;
      if (!ended[b]) result[b].push_back(static_cast<Id>(tokens[b]));
    }
  }
  return result;
}

}  // namespace

/// Removals that run in one batch, and their indices in the result.
struct Interventions::Rows {
  std::vector<Removal> removals;
  std::vector<std::int64_t> indices;
  bool encode = false;  ///< the encoder has to run for each removal
};

Interventions::Interventions(EncoderDecoder model, const ModelConfig& config, const SentenceIds& sentence,
                             std::vector<Removal> everywhere, std::span<const Id> given)
    : model_(std::move(model)),
      numbers_per_pair_(config.attention_score == AttentionScore::kAdditive ? config.d_model : config.heads),
      sentence_(sentence),
      everywhere_(std::move(everywhere)),
      given_(given.begin(), given.end()) {
  const c10::InferenceMode inference;
  RemovalProbe probe(everywhere_);
  memory_ = model_->encode(pad(std::array{sentence_.source}, model_->device()), Pass{.probe = &probe, .plain = true});
}

Effects Interventions::effects(std::span<const Removal> removals, const Candidates& candidates,
                               std::int64_t max_length) {
  const auto P = std::ssize(removals), T = std::ssize(sentence_.target);
  Effects result{at::empty({P, T, candidates.ids.size(1)}), at::empty({P}), {}};
  if (max_length > 0) result.greedy.resize(removals.size());
  const auto V = model_->generator()->weight().size(0);
  const auto S = std::ssize(sentence_.source), longest = std::max(S, T);
  const auto max_rows = std::max<std::int64_t>(1, kMaxNumbers / std::max(T * V, numbers_per_pair_ * longest * longest));
  for (const bool encode : {false, true}) {
    Rows rows{.removals = {}, .indices = {}, .encode = encode};
    const auto flush = [&] {
      if (!rows.indices.empty()) run_rows(rows, candidates, max_length, result);
      rows.removals.clear();
      rows.indices.clear();
    };
    for (std::int64_t i = 0; i < P; ++i) {
      if (changes_encoder(removals[static_cast<std::size_t>(i)]) != encode) continue;
      rows.removals.push_back(removals[static_cast<std::size_t>(i)]);
      rows.indices.push_back(i);
      if (std::ssize(rows.indices) == max_rows) flush();
    }
    flush();
  }
  return result;
}

void Interventions::run_rows(const Rows& rows, const Candidates& candidates, std::int64_t max_length,
                             Effects& effects) {
  const c10::InferenceMode inference;
  stop_where_requested();
  const auto B = std::ssize(rows.removals);
  RemovalProbe probe(everywhere_, rows.removals);
  const Pass pass{.probe = &probe, .plain = true};
  const auto source = repeated(pad(std::array{sentence_.source}, model_->device()), B);
  const auto target = shift_target(std::array{sentence_.target}, model_->device());
  const auto mask = Mask::padding(source.lengths);
  const auto memory = rows.encode ? model_->encode(source, pass) : memory_.expand({B, -1, -1}).contiguous();
  const auto logits =
      model_->generator()->logits(model_->decode(repeated(target.input, B), memory, mask, pass));  // [B, T, V]
  const auto labels = target.labels.expand({B, -1}).unsqueeze(-1);
  const auto given = std::min(std::ssize(given_), labels.size(1) - 1);
  const auto losses = -logits.log_softmax(-1)
                           .gather(-1, labels)
                           .squeeze(-1)
                           .narrow(1, given, labels.size(1) - given)
                           .mean(-1)
                           .to(at::kCPU);                               // [B]
  const auto log_probabilities = candidates.log_probabilities(logits);  // [B, T, K]
  const auto index = to_device(rows.indices, at::kCPU);
  effects.log_probabilities.index_copy_(0, index, log_probabilities);
  effects.losses.index_copy_(0, index, losses);
  if (max_length == 0) return;
  auto greedy = greedy_rows(model_, memory, mask, given_, max_length, pass);
  for (std::size_t b = 0; b < greedy.size(); ++b)
    effects.greedy[static_cast<std::size_t>(rows.indices[b])] = std::move(greedy[b]);
}

}  // namespace gloss
