#include "decoding/scorers/plain_scorer.h"

#include <algorithm>
#include <string>
#include <utility>

#include <ATen/Parallel.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/pad.h>
#include <c10/core/InferenceMode.h>

#include "common/error.h"
#include "tensor/shape.h"
#include "tensor/workers.h"

namespace gloss {
namespace {

struct PlainState final : Scorer::State {
  std::vector<std::unique_ptr<Scorer::State>> sentences;  ///< each a batch of one
  std::int64_t rows = 1;                                  ///< K, of each sentence
  std::int64_t width = 0;                                 ///< S, of the whole batch
  Workers workers;                                        ///< compute the sentences

  explicit PlainState(std::int64_t workers_count) : workers(workers_count) {}
  std::int64_t size() const { return std::ssize(sentences); }
};

PlainState& sentences_of(Scorer::State& state) { return static_cast<PlainState&>(state); }

// Returns the number of workers for a batch of `count` sentences.
std::int64_t workers_for(std::int64_t count, at::Device device) {
  return device.is_cpu() ? std::clamp<std::int64_t>(count, 1, at::get_num_threads()) : 1;
}

}  // namespace

PlainScorer::PlainScorer(const EncoderDecoder& model, std::int64_t max_target_length)
    : model_(model, max_target_length, /*plain=*/true) {}

std::unique_ptr<Scorer::State> PlainScorer::start(const PaddedIds& source) const {
  const auto [B, S] = sizes<2>(source.ids, "source");
  if (std::ssize(source.lengths) != B)
    throw ShapeError("source: wanted " + std::to_string(B) + " lengths, got " + std::to_string(source.lengths.size()));
  auto state = std::make_unique<PlainState>(workers_for(B, device()));
  state->width = S;
  state->sentences.resize(static_cast<std::size_t>(B));
  state->workers.run(B, [&](std::int64_t b) {
    const auto length = source.lengths[static_cast<std::size_t>(b)];
    const auto ids = source.ids.narrow(0, b, 1);  // [1, S]
    state->sentences[static_cast<std::size_t>(b)] =
        model_.start({ids.narrow(1, 0, std::max<std::int64_t>(length, 1)), {length}});
  });
  return state;
}

Scorer::Step PlainScorer::step(State& state, std::span<const Id> tokens,
                               const std::optional<AttentionSite>& site) const {
  const c10::InferenceMode inference;
  auto& all = sentences_of(state);
  if (std::ssize(tokens) != all.size() * all.rows)
    throw ShapeError("tokens: wanted " + std::to_string(all.size() * all.rows) + ", got " +
                     std::to_string(tokens.size()));
  std::vector<at::Tensor> logits(all.sentences.size()), normalizers(logits), attention(logits);
  all.workers.run(all.size(), [&](std::int64_t sentence) {
    const auto b = static_cast<std::size_t>(sentence), K = static_cast<std::size_t>(all.rows);
    const auto own = tokens.subspan(b * K, K);
    const auto step = model_.step(*all.sentences[b], own, site);
    logits[b] = step.logits;
    normalizers[b] = step.log_normalizer;
    if (step.attention.defined())
      attention[b] = at::pad(step.attention, {0, all.width - step.attention.size(1)});  // [K, S]
  });
  const bool attends = !attention.empty() && attention.front().defined();  // a network may have no cross-attention
  return {at::cat(logits), at::cat(normalizers), attends ? at::cat(attention) : at::Tensor()};
}

void PlainScorer::select(State& state, const std::vector<std::int64_t>& sentences,
                         const std::vector<std::int64_t>& parents) const {
  auto& all = sentences_of(state);
  const auto rows = sentences.empty() ? static_cast<std::size_t>(all.rows) : parents.size() / sentences.size();
  if (parents.size() != rows * sentences.size() || rows == 0)
    throw ShapeError("parents: wanted the same number of rows, at least one, for each of " +
                     std::to_string(sentences.size()) + " sentences, got " + std::to_string(parents.size()) + " rows");
  for (const auto parent : parents) index_below(parent, all.rows, "parents");
  std::vector<std::unique_ptr<State>> kept;
  for (const auto sentence : sentences) {
    auto& from = all.sentences[index_below(sentence, all.size(), "sentences")];
    if (!from) throw ShapeError("sentences: wanted each once, got " + std::to_string(sentence) + " twice");
    kept.push_back(std::move(from));
  }
  for (std::size_t b = 0; b < kept.size(); ++b) {
    const auto* const first = parents.data() + b * rows;
    model_.select(*kept[b], {0}, {first, first + rows});
  }
  all.sentences = std::move(kept);
  all.rows = static_cast<std::int64_t>(rows);
}

}  // namespace gloss
