#include "training/update.h"

#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "model/padding.h"
#include "training/output_loss.h"

namespace gloss {
namespace {

// Indices into [B * T] of the positions that are not padding.
std::vector<std::int64_t> filled_positions(const std::vector<std::int64_t>& lengths, std::int64_t T) {
  std::vector<std::int64_t> positions;
  for (std::size_t b = 0; b < lengths.size(); ++b)
    for (std::int64_t t = 0; t < lengths[b]; ++t) positions.push_back(static_cast<std::int64_t>(b) * T + t);
  return positions;
}

}  // namespace

Loss batch_loss(EncoderDecoder& model, const Batch& batch, double label_smoothing, const Pass& pass) {
  const PaddedIds source = pad(batch.source, model->device());
  const ShiftedTarget target = shift_target(batch.target, model->device());
  auto output = model->forward(source, target.input, pass).flatten(0, 1);  // [B * T, D]
  auto wanted = target.wanted.flatten();                                   // [B * T]

  const auto filled = filled_positions(target.input.lengths, target.wanted.size(1));
  if (static_cast<std::int64_t>(filled.size()) < wanted.size(0)) {
    const auto rows = at::tensor(filled, at::kLong).to(model->device());  // [N]
    output = output.index_select(0, rows);                                // [N, D]
    wanted = wanted.index_select(0, rows);                                // [N]
  }
  return output_loss(model->generator(), output, wanted, label_smoothing);
}

UpdateResult update_weights(EncoderDecoder& model, Adam& adam, std::span<const Batch> batches,
                            const RandomStream& dropout, const UpdateOptions& options) {
  UpdateResult result;
  auto last = std::chrono::steady_clock::now();
  const auto lap = [&last] {
    const auto before = std::exchange(last, std::chrono::steady_clock::now());
    return std::chrono::duration<double>(last - before).count();
  };
  at::Tensor nll_sum;  // scalar, float64, left on the device until the end
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const auto random = dropout.at(static_cast<std::uint32_t>(options.step), static_cast<std::uint32_t>(i));
    const Loss loss = batch_loss(model, batches[i], options.label_smoothing, {.training = true, .random = &random});
    result.seconds.forward += lap();
    loss.smoothed_sum.backward();
    result.seconds.backward += lap();
    nll_sum = nll_sum.defined() ? nll_sum + loss.nll_sum.to(at::kDouble) : loss.nll_sum.to(at::kDouble);
    result.tokens += loss.tokens;
  }
  result.gradient_norm = adam.scale_and_clip(1.0 / static_cast<double>(result.tokens), options.clip_norm);
  result.nll_sum = nll_sum.item<double>();
  result.applied = std::isfinite(result.nll_sum) && std::isfinite(result.gradient_norm);
  if (result.applied)
    adam.step(options.step, options.learning_rate);
  else
    adam.clear_gradients();
  result.seconds.optimizer = lap();
  return result;
}

}  // namespace gloss
