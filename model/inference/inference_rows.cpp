#include "model/inference/inference_rows.h"

#include <algorithm>
#include <cmath>

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/sigmoid.h>

namespace gloss {
namespace {

std::int64_t max_width(const ModelConfig& config) {
  return std::max({3 * config.d_model, config.d_ff, config.decoder_d_ff()});
}

// LibTorch divides more elements among threads, at places that depend on their number.
constexpr std::int64_t kOfOneThread = 1 << 13;

/// Calls `work` with neighboring parts of a row. Their boundaries, and those of LibTorch's vectors within them, depend
/// neither on the number of rows nor on that of threads.
void for_each_part(float* row, std::int64_t size, const std::function<void(at::Tensor part)>& work) {
  for (std::int64_t begin = 0; begin < size; begin += kOfOneThread)
    work(at::from_blob(row + begin, {std::min(kOfOneThread, size - begin)}, at::kFloat));
}

/// Applies an activation other than relu to x in place.
void activate_in_place(at::Tensor x, Activation activation) {
  if (activation == Activation::kGelu)
    at::gelu_(x);
  else
    x.mul_(at::sigmoid(activation == Activation::kGeluSigmoid ? 1.702 * x : x));
}

/// Copies row `id` of a matrix [V, D] to `to` as float32.
void read_row(const StoredWeight& matrix, std::int64_t id, std::int64_t D, float* to) {
  const auto& values = matrix.values;
  if (matrix.scales.defined()) {
    const auto scale = matrix.scales.const_data_ptr<float>()[id];
    const auto* const from = values.const_data_ptr<std::int8_t>() + id * D;
    for (std::int64_t j = 0; j < D; ++j) to[j] = static_cast<float>(from[j]) * scale;
  } else if (values.scalar_type() == at::kBFloat16) {
    std::copy_n(values.const_data_ptr<at::BFloat16>() + id * D, D, to);
  } else {
    std::copy_n(values.const_data_ptr<float>() + id * D, D, to);
  }
}

constexpr std::int64_t kRowsWorthAThread = 8;

}  // namespace

std::int64_t InferenceRows::width(const ModelConfig& config) { return 3 * config.d_model + max_width(config); }

InferenceRows::InferenceRows(const ModelConfig& config, std::int64_t rows, float* memory)
    : config_(&config),
      rows_(rows),
      D_(config.d_model),
      x_(memory),
      normed_(x_ + rows * D_),
      context_(normed_ + rows * D_),
      wide_(context_ + rows * D_) {}

void InferenceRows::embed(std::int64_t row, std::int64_t id, const StoredWeight& embedding,
                          const float* position) const {
  const auto scale = static_cast<float>(std::sqrt(static_cast<double>(D_)));
  float* const to = x(row);
  read_row(embedding, id, D_, to);
  for (std::int64_t j = 0; j < D_; ++j) to[j] = to[j] * scale + position[j];
}

void InferenceRows::embed_zero(std::int64_t row, const float* position) const { std::copy_n(position, D_, x(row)); }

void InferenceRows::attention(const InferenceNorm& norm, const PackedLinear& output,
                              const std::function<void(kernels::Rows)>& attend) const {
  attend(input(norm));
  output.apply({context_, D_}, rows_, {x_, D_}, kernels::Finish::kAdd);
  close(norm);
}

kernels::Rows InferenceRows::attended(kernels::Rows queries) const {
  return config_->norms_keys() ? queries : kernels::Rows{x_, D_};
}

void InferenceRows::recurrence(const InferenceRecurrence& layer,
                               const std::function<const float*(std::int64_t row)>& previous,
                               kernels::MutableRows states) const {
  layer.value_and_gate.apply(input(layer.norm), rows_, wide(2 * D_));
  for (std::int64_t row = 0; row < rows_; ++row) {
    const float *const value = wide_ + row * 2 * D_, *const before = previous(row);
    float *const forget = wide_ + row * 2 * D_ + D_, *const state = states.data + row * states.stride;
    for_each_part(forget, D_, [](at::Tensor gate) { at::sigmoid_(gate); });
    float* const to = x(row);
    for (std::int64_t j = 0; j < D_; ++j) {
      const float kept = before == nullptr ? 0 : forget[j] * before[j];
      state[j] = kept + (1 - forget[j]) * value[j];
      to[j] += std::max(state[j], 0.0F);
    }
  }
  close(layer.norm);
}

void InferenceRows::feed_forward(const InferenceFeedForward& layer) const {
  const auto d_ff = layer.inner.out();
  const bool relu = config_->activation == Activation::kRelu;
  layer.inner.apply(input(layer.norm), rows_, wide(d_ff), relu ? kernels::Finish::kRelu : kernels::Finish::kStore);
  if (!relu) {
    for (std::int64_t row = 0; row < rows_; ++row)
      for_each_part(wide_ + row * d_ff, d_ff, [&](at::Tensor x) { activate_in_place(x, config_->activation); });
  }
  layer.outer.apply({wide_, d_ff}, rows_, {x_, D_}, kernels::Finish::kAdd);
  close(layer.norm);
}

void InferenceRows::normalize(const InferenceNorm& norm) const {
  if (norm) norm.apply({x_, D_}, rows_, {x_, D_});
}

kernels::Rows InferenceRows::input(const InferenceNorm& norm) const {
  if (config_->norm == NormPlace::kPost) return {x_, D_};
  norm.apply({x_, D_}, rows_, {normed_, D_});
  return {normed_, D_};
}

void InferenceRows::close(const InferenceNorm& norm) const {
  if (config_->norm == NormPlace::kPost) norm.apply({x_, D_}, rows_, {x_, D_});
}

bool has_rows_for_threads(std::int64_t rows) { return rows >= kRowsWorthAThread * at::get_num_threads(); }

void over_rows(std::int64_t rows, const std::function<void(std::int64_t first, std::int64_t last)>& work) {
  if (!has_rows_for_threads(rows)) return work(0, rows);
  const std::int64_t threads = at::get_num_threads();
  at::parallel_for(0, rows, (rows + threads - 1) / threads, work);
}

}  // namespace gloss
