#include "training/batch_loss.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>

#include "tensor/shape.h"
#include "tensor/to_device.h"
#include "training/output_loss.h"

namespace gloss {
namespace {

// Sets the links of a batch whose ids are padded.
void add_links(std::span<const Links> links, at::Device device, PaddedBatch& batch) {
  const auto T = batch.target.labels.size(1), S = batch.source.ids.size(1);
  std::vector<std::int64_t> positions;
  std::vector<float> weights;
  for (std::size_t b = 0; b < links.size(); ++b) {
    const auto& [source, target] = links[b];
    std::map<Id, float> of_target;
    for (const auto t : target) ++of_target[t];
    for (std::size_t i = 0; i < target.size(); ++i) {
      positions.push_back((static_cast<std::int64_t>(b) * T + target[i]) * S + source[i]);
      weights.push_back(1 / of_target[target[i]]);
    }
  }
  if (positions.empty()) return;
  batch.links = to_device(positions, device);
  batch.link_weights = to_device(at::tensor(weights), device);
}

}  // namespace

PaddedBatch pad_batch(const Batch& batch, at::Device device) {
  PaddedBatch result{pad(batch.source, device), shift_target(batch.target, device), {}, batch.target_tokens()};
  const auto& labels = result.target.labels;
  if (result.tokens < labels.numel())
    result.filled = to_device(filled_positions(result.target.input.lengths, labels.size(1)), device);
  add_links(batch.links, device, result);
  return result;
}

at::Tensor guided_alignment_loss(const at::Tensor& weights, const PaddedBatch& batch) {
  constexpr double kEpsilon = 1e-6;  // as in Marian
  const auto [B, T] = sizes<2>(batch.target.labels, "labels");
  expect_shape(weights, {B, T, batch.source.ids.size(1)}, "weights");
  const auto linked = weights.flatten().index_select(0, batch.links);  // [L]
  return -((linked + kEpsilon).log() * batch.link_weights).sum(at::kDouble);
}

Loss batch_loss(EncoderDecoder& model, const PaddedBatch& batch, double label_smoothing, const Pass& pass,
                const GuidedAlignment& guided) {
  BatchContext context{batch.source.lengths, batch.target.input.lengths};
  if (guided.weight > 0 && batch.links.defined()) context.watched = {.site = guided.site(), .head = guided.head};
  Pass with_batch = pass;
  with_batch.batch = &context;
  auto output = model->forward(batch.source, batch.target.input, with_batch).flatten(0, 1);  // [B * T, D]
  auto labels = batch.target.labels.flatten();                                               // [B * T]
  if (batch.filled.defined()) {
    output = output.index_select(0, batch.filled);  // [N, D]
    labels = labels.index_select(0, batch.filled);  // [N]
  }
  const auto& generator = model->generator();
  auto sums = pass.plain ? label_smoothed_loss(generator->forward(output, pass.int8), labels, label_smoothing)
                         : output_loss(generator, output, labels, label_smoothing, OutputPath::kFastest, pass.int8);
  if (context.watched)
    sums.smoothed_sum = sums.smoothed_sum + guided.weight * guided_alignment_loss(context.watched->weights, batch);
  return {{sums.smoothed_sum, sums.nll_sum.to(at::kDouble)}, batch.tokens, std::move(context.statistics)};
}

Loss batch_loss(EncoderDecoder& model, const Batch& batch, double label_smoothing, const Pass& pass,
                const GuidedAlignment& guided) {
  return batch_loss(model, pad_batch(batch, model->device()), label_smoothing, pass, guided);
}

}  // namespace gloss
