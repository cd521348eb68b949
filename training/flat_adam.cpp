#include "training/flat_adam.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include "kernels/kernel_table.h"

namespace gloss {
namespace {

constexpr std::int64_t kLine = 16;  // floats of a cache line

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

FlatLayout::FlatLayout(const std::vector<at::Tensor>& parameters, std::int64_t processes) : processes_(processes) {
  std::int64_t size = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    offsets_.push_back(size);
    for (std::int64_t begin = 0; begin < parameters[i].numel();) {
      const auto offset = size + begin;
      const auto count = std::min(parameters[i].numel() - begin, kChunk - offset % kChunk);
      pieces_.push_back({i, begin, offset, count});
      begin += count;
    }
    size += rounded_up(parameters[i].numel(), kLine);
  }
  chunks_of_slice_ = rounded_up(size, kChunk * processes) / (kChunk * processes);
  std::size_t piece = 0;
  for (std::int64_t chunk = 0; chunk <= chunks_of_slice_ * processes; ++chunk) {
    begins_.push_back(piece);
    while (piece < pieces_.size() && pieces_[piece].offset < (chunk + 1) * kChunk) ++piece;
  }
}

bool FlatAdam::can_keep(const std::vector<at::Tensor>& parameters) {
  return std::ranges::all_of(parameters, [](const at::Tensor& parameter) {
    return parameter.is_cpu() && parameter.scalar_type() == at::kFloat && parameter.is_contiguous();
  });
}

FlatAdam::FlatAdam(std::vector<at::Tensor> parameters, bool with_ema, Workers* workers, Exchange& exchange)
    : workers_(workers),
      exchange_(&exchange),
      parameters_(std::move(parameters)),
      layout_(parameters_, exchange.size()),
      m_(at::zeros({layout_.slice()})),
      v_(at::zeros({layout_.slice()})),
      gradient_of_piece_(layout_.pieces().size()),
      squares_of_piece_(layout_.pieces().size()) {
  if (!with_ema) return;
  ema_ = at::zeros({layout_.slice()});
  for (std::size_t i = 0; i < parameters_.size(); ++i) set_state(State::kEma, i, parameters_[i]);
}

const at::Tensor& FlatAdam::buffer(State kind) const { return kind == State::kM ? m_ : kind == State::kV ? v_ : ema_; }

std::vector<at::Tensor> FlatAdam::state(State kind, bool everywhere) const {
  std::vector<at::Tensor> whole(parameters_.size());
  const auto all = everywhere ? exchange_->all_gather(buffer(kind)) : exchange_->gather(buffer(kind));
  for (std::size_t i = 0; all.defined() && i < parameters_.size(); ++i)
    whole[i] = all.narrow(0, layout_.offset(i), parameters_[i].numel()).view(parameters_[i].sizes());
  return whole;
}

void FlatAdam::set_state(State kind, std::size_t parameter, const at::Tensor& values) {
  const at::NoGradGuard no_grad;
  const auto begin = std::max(layout_.offset(parameter), slice_begin());
  const auto end = std::min(layout_.offset(parameter) + values.numel(), slice_begin() + layout_.slice());
  if (begin >= end) return;
  buffer(kind)
      .narrow(0, begin - slice_begin(), end - begin)
      .copy_(values.flatten().narrow(0, begin - layout_.offset(parameter), end - begin));
}

void FlatAdam::for_each_piece(std::int64_t first_chunk, std::int64_t chunks, auto&& work) const {
  const auto do_chunk = [&](std::int64_t chunk) {
    const auto end = layout_.begin_of(first_chunk + chunk + 1);
    for (auto piece = layout_.begin_of(first_chunk + chunk); piece < end; ++piece) work(piece);
  };
  if (workers_ != nullptr) return workers_->run(chunks, do_chunk);
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) do_chunk(chunk);
}

void FlatAdam::for_each_own_piece(auto&& work) const {
  for_each_piece(exchange_->rank() * layout_.chunks_of_slice(), layout_.chunks_of_slice(), work);
}

double FlatAdam::set_gradients(const Gradients& gradients) {
  const at::NoGradGuard no_grad;
  gradients_.clear();
  for (const auto& gradient : gradients)
    gradients_.push_back(gradient.defined() ? gradient.contiguous() : at::Tensor());
  const auto kernel = kernels::kernel_table().sum_of_squares;
  for_each_own_piece([&](std::size_t index) {
    const auto& [parameter, begin, offset, count] = layout_.pieces()[index];
    const auto& gradient = gradients_[is_divided() ? 0 : parameter];
    const auto* values = gradient.defined() ? gradient.const_data_ptr<float>() : nullptr;
    if (values != nullptr) values += is_divided() ? offset - slice_begin() : begin;
    gradient_of_piece_[index] = values;
    squares_of_piece_[index] = values != nullptr ? kernel(values, count) : 0;
  });
  if (is_divided()) gather_squares();
  double sum = 0;
  for (const double squares : squares_of_piece_) sum += squares;
  return sum;
}

// The slices have unequal numbers of pieces; each process sends as many as the largest.
void FlatAdam::gather_squares() {
  const auto begin_of = [&](std::int64_t process) { return layout_.begin_of(process * layout_.chunks_of_slice()); };
  std::size_t max_pieces = 0;
  for (std::int64_t p = 0; p < exchange_->size(); ++p) max_pieces = std::max(max_pieces, begin_of(p + 1) - begin_of(p));
  const auto own = at::zeros({static_cast<std::int64_t>(max_pieces)}, at::kDouble);
  const auto copy_own = [&](std::int64_t p, const double* from, double* to) {
    std::copy(from, from + (begin_of(p + 1) - begin_of(p)), to);
  };
  copy_own(exchange_->rank(), squares_of_piece_.data() + begin_of(exchange_->rank()), own.mutable_data_ptr<double>());
  const auto all = exchange_->all_gather(own);
  for (std::int64_t p = 0; p < exchange_->size(); ++p)
    copy_own(p, all.const_data_ptr<double>() + p * own.numel(), squares_of_piece_.data() + begin_of(p));
}

void FlatAdam::step(const kernels::AdamNumbers& numbers) {
  const at::NoGradGuard no_grad;
  std::vector<bool> is_unchanged(parameters_.size(), true);
  for (std::size_t piece = 0; piece < squares_of_piece_.size(); ++piece)
    if (squares_of_piece_[piece] != 0) is_unchanged[layout_.pieces()[piece].parameter] = false;

  std::vector<float*> weights;
  for (const auto& parameter : parameters_) weights.push_back(parameter.mutable_data_ptr<float>());
  auto* const m = m_.mutable_data_ptr<float>();
  auto* const v = v_.mutable_data_ptr<float>();
  auto* const ema = ema_.defined() ? ema_.mutable_data_ptr<float>() : nullptr;
  const auto kernel = kernels::kernel_table().adam;
  for_each_own_piece([&](std::size_t index) {
    const auto& [parameter, begin, offset, count] = layout_.pieces()[index];
    const auto place = offset - slice_begin();
    if (!is_unchanged[parameter]) {
      kernel({weights[parameter] + begin, gradient_of_piece_[index], m + place, v + place,
              ema != nullptr ? ema + place : nullptr, count},
             numbers);
    } else if (ema != nullptr) {
      const at::NoGradGuard no_grad_on_worker;
      ema_.narrow(0, place, count).lerp_(parameters_[parameter].flatten().narrow(0, begin, count), numbers.ema_weight);
    }
  });
  if (is_divided()) gather_weights();
  clear_gradients();
}

void FlatAdam::gather_weights() {
  if (!weights_.defined()) weights_ = at::zeros({layout_.slice()});
  auto* const own = weights_.mutable_data_ptr<float>();
  const auto copy = [](float* to, const float* from, std::int64_t count) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
  };
  for_each_own_piece([&](std::size_t index) {
    const auto& [parameter, begin, offset, count] = layout_.pieces()[index];
    copy(own + offset - slice_begin(), parameters_[parameter].const_data_ptr<float>() + begin, count);
  });
  const auto all = exchange_->all_gather(weights_);
  for_each_piece(0, layout_.chunks_of_slice() * layout_.processes(), [&](std::size_t index) {
    const auto& [parameter, begin, offset, count] = layout_.pieces()[index];
    copy(parameters_[parameter].mutable_data_ptr<float>() + begin, all.const_data_ptr<float>() + offset, count);
  });
}

void FlatAdam::clear_gradients() {
  gradients_.clear();
  std::ranges::fill(gradient_of_piece_, nullptr);
  std::ranges::fill(squares_of_piece_, 0.0);
}

}  // namespace gloss
