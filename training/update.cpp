#include "training/update.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "common/error.h"
#include "common/log.h"
#include "model/alternatives/batch_norm.h"
#include "model/fast/matrix_product.h"
#include "model/padding.h"
#include "tensor/caching_allocator.h"
#include "tensor/out_of_memory.h"
#include "tensor/to_device.h"
#include "training/mixed_precision.h"
#include "training/output_loss.h"

namespace gloss {
namespace {

// Returns the indices into [B * T] of the positions that are not padding.
std::vector<std::int64_t> filled_positions(const std::vector<std::int64_t>& lengths, std::int64_t T) {
  std::vector<std::int64_t> positions;
  for (std::size_t b = 0; b < lengths.size(); ++b)
    for (std::int64_t t = 0; t < lengths[b]; ++t) positions.push_back(static_cast<std::int64_t>(b) * T + t);
  return positions;
}

// A stopwatch: returns the seconds since the last call.
class Lap {
 public:
  double operator()() {
    const auto before = std::exchange(last_, std::chrono::steady_clock::now());
    return std::chrono::duration<double>(last_ - before).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// A batch of an update, or half of one.
struct MicroBatch {
  Batch batch;
  std::uint32_t number;  ///< shard number of its dropout
  bool is_half = false;
};

// Sums over the micro-batches of an update.
struct Gradients {
  double nll_sum = 0, norm = 0;
  std::int64_t tokens = 0;
  UpdateSeconds seconds;
  BatchStatistics batch_statistics;
};

// Runs the forward and backward passes of all micro-batches and computes the norm. If memory runs out, returns the
// index of the micro-batch, or of the last one if only the norm failed. Its gradients may then have been added in part.
std::optional<std::size_t> add_gradients(EncoderDecoder& model, Adam& adam, const std::vector<MicroBatch>& parts,
                                         const RandomStream& dropout, const UpdateOptions& options, Gradients& sum) {
  sum = {};
  Lap lap;
  std::size_t i = 0;
  try {
    at::Tensor nll_sum;  // scalar, float64, left on the device until the end
    for (; i < parts.size(); ++i) {
      const auto random = dropout.at(static_cast<std::uint32_t>(options.step), parts[i].number);
      const Loss loss = [&] {
        const Autocast autocast(options.precision, model->device());
        return batch_loss(
            model, parts[i].batch, options.label_smoothing,
            {.training = true, .random = &random, .plain = options.plain, .batch_statistics = &sum.batch_statistics});
      }();
      sum.seconds.forward += lap();
      loss.smoothed_sum.backward();
      sum.seconds.backward += lap();
      nll_sum = nll_sum.defined() ? nll_sum + loss.nll_sum : loss.nll_sum;
      sum.tokens += loss.tokens;
    }
    const auto numbers = at::stack({nll_sum, adam.gradient_norm()}).cpu();  // [2]
    sum.nll_sum = numbers.const_data_ptr<double>()[0];
    sum.norm = numbers.const_data_ptr<double>()[1];
    sum.seconds.optimizer += lap();
  } catch (...) {
    if (!is_out_of_memory()) throw;
    return std::min(i, parts.size() - 1);
  }
  return std::nullopt;
}

// Replaces the micro-batch `index` by two halves of its sentences.
void split(std::vector<MicroBatch>& parts, std::size_t index, std::int64_t step) {
  constexpr std::uint32_t kSecondHalf = 1U << 31;  // above every index of a batch (training.accumulate)
  MicroBatch& first = parts[index];
  const auto sentences = first.batch.source.size();
  const auto place = "step " + std::to_string(step) + ": out of memory in ";
  if (first.is_half || sentences < 2)
    throw OutOfMemoryError(place + (first.is_half ? "the half of a batch, " : "a batch, ") + std::to_string(sentences) +
                           " sentences; leave more memory to this run, or begin one with a smaller "
                           "data.batch_tokens and more training.accumulate");
  log_warning(place + "a batch of " + std::to_string(sentences) + " sentences, which is split in two");

  const auto middle = static_cast<std::ptrdiff_t>((sentences + 1) / 2);
  MicroBatch second{{}, first.number + kSecondHalf, true};
  first.is_half = true;
  for (const auto side : {&Batch::source, &Batch::target}) {
    auto& all = first.batch.*side;
    (second.batch.*side).assign(std::make_move_iterator(all.begin() + middle), std::make_move_iterator(all.end()));
    all.resize(static_cast<std::size_t>(middle));
  }
  parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(index) + 1, std::move(second));
}

}  // namespace

Loss batch_loss(EncoderDecoder& model, const Batch& batch, double label_smoothing, const Pass& pass) {
  const PaddedIds source = pad(batch.source, model->device());
  const ShiftedTarget target = shift_target(batch.target, model->device());
  auto output = model->forward(source, target.input, pass).flatten(0, 1);  // [B * T, D]
  auto wanted = target.wanted.flatten();                                   // [B * T]

  const auto filled = filled_positions(target.input.lengths, target.wanted.size(1));
  if (static_cast<std::int64_t>(filled.size()) < wanted.size(0)) {
    const auto rows = to_device(filled, model->device());  // [N]
    output = output.index_select(0, rows);                 // [N, D]
    wanted = wanted.index_select(0, rows);                 // [N]
  }
  const auto& generator = model->generator();
  const auto sums = pass.plain ? label_smoothed_loss(generator->forward(output), wanted, label_smoothing)
                               : output_loss(generator, output, wanted, label_smoothing);
  return {{sums.smoothed_sum, sums.nll_sum.to(at::kDouble)}, batch.target_tokens()};
}

UpdateResult update_weights(EncoderDecoder& model, Adam& adam, std::span<const Batch> batches,
                            const RandomStream& dropout, const UpdateOptions& options) {
  const Bfloat16Products rounded(options.precision == Precision::kBfloat16);
  std::vector<MicroBatch> parts;
  for (std::size_t i = 0; i < batches.size(); ++i) parts.push_back({batches[i], static_cast<std::uint32_t>(i)});
  Gradients sum;
  while (const auto failed = add_gradients(model, adam, parts, dropout, options, sum)) {
    adam.clear_gradients();
    release_cached_memory();
    split(parts, *failed, options.step);
  }
  Lap lap;
  const double per_token = 1.0 / static_cast<double>(sum.tokens);
  UpdateResult result{
      .nll_sum = sum.nll_sum, .tokens = sum.tokens, .gradient_norm = per_token * sum.norm, .seconds = sum.seconds};
  result.applied = std::isfinite(result.nll_sum) && std::isfinite(result.gradient_norm);
  if (result.applied) {
    adam.step({.step = options.step,
               .learning_rate = options.learning_rate,
               .gradient_factor = per_token * clip_factor(result.gradient_norm, options.clip_norm)});
    sum.batch_statistics.update_running();
  } else {
    adam.clear_gradients();
  }
  result.seconds.optimizer += lap();
  return result;
}

}  // namespace gloss
