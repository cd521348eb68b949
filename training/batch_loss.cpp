#include "training/batch_loss.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/padding.h"
#include "tensor/to_device.h"
#include "training/output_loss.h"

namespace gloss {
Loss batch_loss(EncoderDecoder& model, const Batch& batch, double label_smoothing, const Pass& pass) {
  const PaddedIds source = pad(batch.source, model->device());
  const ShiftedTarget target = shift_target(batch.target, model->device());
  BatchContext context{source.lengths, target.input.lengths};
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
  const auto sums = pass.plain ? label_smoothed_loss(generator->forward(output), labels, label_smoothing)
                               : output_loss(generator, output, labels, label_smoothing);
  return {{sums.smoothed_sum, sums.nll_sum.to(at::kDouble)}, batch.target_tokens(), std::move(context.statistics)};
}

}  // namespace gloss
