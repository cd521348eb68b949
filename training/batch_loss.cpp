#include "training/batch_loss.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>

#include "model/padding.h"
#include "tensor/shape.h"
#include "tensor/to_device.h"
#include "training/output_loss.h"

namespace gloss {

at::Tensor guided_alignment_loss(const at::Tensor& weights, std::span<const Links> links) {
  constexpr double kEpsilon = 1e-6;  // as in Marian
  const auto [B, T, S] = sizes<3>(weights, "weights");
  expect_shape(weights, {std::ssize(links), T, S}, "weights");
  std::vector<std::int64_t> places;  // of the links in [B, T, S]
  std::vector<float> shares;
  for (std::int64_t b = 0; b < B; ++b) {
    const auto& [source, target] = links[static_cast<std::size_t>(b)];
    std::map<Id, float> of_target;
    for (const auto t : target) ++of_target[t];
    for (std::size_t i = 0; i < target.size(); ++i) {
      places.push_back((b * T + target[i]) * S + source[i]);
      shares.push_back(1 / of_target[target[i]]);
    }
  }
  const auto on_device = [&](const auto& values, at::ScalarType type) {
    return at::tensor(values, type).to(weights.device());
  };
  const auto linked = weights.flatten().index_select(0, on_device(places, at::kLong));
  return -((linked + kEpsilon).log() * on_device(shares, at::kFloat)).sum(at::kDouble);
}

Loss batch_loss(EncoderDecoder& model, const Batch& batch, double label_smoothing, const Pass& pass,
                const GuidedAlignment& guided) {
  const PaddedIds source = pad(batch.source, model->device());
  const ShiftedTarget target = shift_target(batch.target, model->device());
  BatchContext context{source.lengths, target.input.lengths};
  if (guided.weight > 0 && !batch.links.empty()) context.watched = {.site = guided.site(), .head = guided.head};
  Pass with_batch = pass;
  with_batch.batch = &context;
  auto output = model->forward(source, target.input, with_batch).flatten(0, 1);  // [B * T, D]
  auto labels = target.labels.flatten();                                         // [B * T]

  const auto filled = filled_positions(target.input.lengths, target.labels.size(1));
  if (static_cast<std::int64_t>(filled.size()) < labels.size(0)) {
    const auto rows = to_device(filled, model->device());  // [N]
    output = output.index_select(0, rows);                 // [N, D]
    labels = labels.index_select(0, rows);                 // [N]
  }
  const auto& generator = model->generator();
  auto sums = pass.plain ? label_smoothed_loss(generator->forward(output, pass.int8), labels, label_smoothing)
                         : output_loss(generator, output, labels, label_smoothing, OutputPath::kFastest, pass.int8);
  if (context.watched)
    sums.smoothed_sum =
        sums.smoothed_sum + guided.weight * guided_alignment_loss(context.watched->weights, batch.links);
  return {{sums.smoothed_sum, sums.nll_sum.to(at::kDouble)}, batch.target_tokens(), std::move(context.statistics)};
}

}  // namespace gloss
