#include "translation/alignment.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

#include <ATen/Parallel.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <c10/core/InferenceMode.h>

#include "common/error.h"
#include "common/text/printable.h"
#include "model/part.h"
#include "tensor/serial_calls.h"
#include "tensor/shape.h"
#include "tensor/workers.h"

namespace gloss {
namespace {

constexpr const char* kNoAttention =
    "this model has no attention to its source to align by (model.recurrent_attention is none)";

/// Keeps the cross-attention of one layer, of one head or the mean of all.
class SiteProbe final : public Probe {
 public:
  explicit SiteProbe(const AttentionSite& site)
      : name_("decoder.layers." + std::to_string(site.layer) + ".cross_attention"), head_(site.head) {}

  void attention(std::string_view site, at::Tensor& weights, const at::Tensor&) override {
    if (site != name_) return;
    const auto rows = head_ ? weights.select(1, *head_) : weights.mean(1);
    weights_ = weights_.defined() ? at::cat({weights_, rows}, 1) : rows;
  }

  const at::Tensor& weights() const { return weights_; }  ///< [B, T, S]

 private:
  std::string name_;
  std::optional<std::int64_t> head_;
  at::Tensor weights_;
};

/// Aligns the pairs of a batch. Their targets are not empty.
void align_batch(EncoderDecoder model, const AttentionSite& site, const AlignedPairs& pairs,
                 std::span<const std::size_t> batch, const TakeWeights& take) {
  const c10::InferenceMode inference;
  std::vector<Ids> sources, inputs;
  for (const auto i : batch) {
    sources.push_back(pairs.sources[i]);
    auto& input = inputs.emplace_back(Ids{kBos});
    input.insert(input.end(), pairs.targets[i].begin(), pairs.targets[i].end() - 1);
  }
  const auto source = pad(sources, model->device());
  SiteProbe probe(site);
  const Pass pass{.plain = pairs.plain}, probed{.probe = &probe, .plain = pairs.plain};
  model->decode(pad(inputs, model->device()), model->encode(source, pass), Mask::padding(source.lengths), probed);
  if (!probe.weights().defined()) throw UsageError(kNoAttention);
  const auto weights = probe.weights().to(at::kCPU, at::kFloat);  // [B, T, S]
  for (std::size_t b = 0; b < batch.size(); ++b)
    take(
        batch[b],
        weights[static_cast<std::int64_t>(b)].narrow(0, 0, std::ssize(inputs[b])).narrow(1, 0, std::ssize(sources[b])));
}

}  // namespace

AttentionSite parse_attention_site(std::string_view name, const ModelConfig& config, const std::string& key) {
  const auto part = parse_part(name, config);
  if (part && part->side == Part::Side::kDecoder && part->sublayer == Part::Sublayer::kCross) {
    if (part->kind == Part::Kind::kSublayer) return {part->layer, std::nullopt};
    if (part->kind == Part::Kind::kHead) return {part->layer, part->head};
  }
  if (!config.has_cross_attention()) throw UsageError({Key{key}, ": " + std::string(kNoAttention)});
  throw UsageError({Key{key}, ": wanted decoder.LAYER.cross or decoder.LAYER.cross.HEAD, with a layer from 0 to " +
                                  std::to_string(default_attention_site(config).layer) + " and a head from 0 to " +
                                  std::to_string(config.heads - 1) + ", got " + printable(std::string(name))});
}

AttentionSite default_attention_site(const ModelConfig& config, std::string_view name) {
  if (!name.empty()) return parse_attention_site(name, config, "decoding.alignment_from");
  return {config.is_transformer() ? config.decoder_layers - 1 : 0, std::nullopt};
}

void cross_attention(const EncoderDecoder& model, const AttentionSite& site, const AlignedPairs& pairs,
                     const TakeWeights& take, const std::function<void()>& before_batch) {
  const auto sources = pairs.sources, targets = pairs.targets;
  const auto batch_size = pairs.batch_size;
  if (sources.size() != targets.size())
    throw UsageError("targets: wanted one for each of " + std::to_string(sources.size()) + " sources, got " +
                     std::to_string(targets.size()));
  if (batch_size < 1) throw UsageError("batch_size: wanted at least 1, got " + std::to_string(batch_size));
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (targets[i].empty())
      take(i, at::empty({0, std::ssize(sources[i])}));
    else
      order.push_back(i);
  }
  if (order.empty()) return;
  SerialCalls calls;
  const auto align = [&](std::size_t first, std::size_t count) {
    if (before_batch) calls(before_batch);
    align_batch(model, site, pairs, std::span(order).subspan(first, count), take);
  };
  if (batch_size > 1 || !model->device().is_cpu()) {
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return sources[i].size(); });
    const auto size = static_cast<std::size_t>(batch_size);
    for (std::size_t first = 0; first < order.size(); first += size) align(first, std::min(size, order.size() - first));
    return;
  }
  try {
    run_on_kept_workers(at::get_num_threads(), std::ssize(order),
                        [&](std::int64_t i) { align(static_cast<std::size_t>(i), 1); });
  } catch (...) {
    calls.rethrow();
    throw;
  }
}

std::vector<PieceLink> strongest_links(const at::Tensor& weights, std::size_t tags) {
  const auto [T, S] = sizes<2>(weights, "weights");
  const auto rows = weights.to(at::kCPU, at::kFloat).contiguous();
  std::vector<PieceLink> links(static_cast<std::size_t>(T));
  if (S == 0) return links;
  for (std::int64_t t = 0; t < T; ++t) {
    const auto* row = rows.const_data_ptr<float>() + t * S;
    const auto *pieces = row + std::min(static_cast<std::int64_t>(tags), S - 1), *end = row + S - 1;
    const auto* best = std::max_element(pieces, end);
    auto& link = links[static_cast<std::size_t>(t)];
    if (pieces < end) link.source = best - row;
    link.to_end = pieces == end || *end > *best || std::any_of(row, pieces, [best](float tag) { return tag > *best; });
  }
  return links;
}

}  // namespace gloss
