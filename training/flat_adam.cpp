#include "training/flat_adam.h"

#include <algorithm>
#include <utility>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>

#include "kernels/kernel_table.h"

namespace gloss {
namespace {

constexpr std::int64_t kLine = 16;           // floats of a cache line, the alignment of each parameter
constexpr std::int64_t kElements = 1 << 15;  // elements of a chunk, the unit of work of a worker

}  // namespace

bool FlatAdam::can_keep(const std::vector<at::Tensor>& parameters) {
  return std::ranges::all_of(parameters, [](const at::Tensor& parameter) {
    return parameter.is_cpu() && parameter.scalar_type() == at::kFloat && parameter.is_contiguous();
  });
}

FlatAdam::FlatAdam(std::vector<at::Tensor> parameters, bool with_ema, Workers* workers)
    : workers_(workers), parameters_(std::move(parameters)) {
  const at::NoGradGuard no_grad;
  std::vector<std::int64_t> offsets;
  std::int64_t size = 0;
  for (const auto& parameter : parameters_) {
    offsets.push_back(size);
    size += (parameter.numel() + kLine - 1) / kLine * kLine;
  }
  m_ = at::zeros({size});
  v_ = at::zeros({size});
  if (with_ema) ema_ = at::zeros({size});
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const auto view = [&](const at::Tensor& buffer) {
      return buffer.narrow(0, offsets[i], parameters_[i].numel()).view(parameters_[i].sizes());
    };
    views_.push_back({view(m_), view(v_), {}});
    if (with_ema) (views_.back().ema = view(ema_)).copy_(parameters_[i]);
  }
  cut_into_pieces(offsets, size);
}

void FlatAdam::cut_into_pieces(const std::vector<std::int64_t>& offsets, std::int64_t size) {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    for (std::int64_t begin = 0; begin < parameters_[i].numel();) {
      const auto offset = offsets[i] + begin;
      const auto count = std::min(parameters_[i].numel() - begin, kElements - offset % kElements);
      pieces_.push_back({i, begin, offset, count});
      begin += count;
    }
  }
  std::size_t piece = 0;
  for (std::int64_t chunk = 0; chunk < size; chunk += kElements) {
    chunks_.push_back(piece);
    while (piece < pieces_.size() && pieces_[piece].offset < chunk + kElements) ++piece;
  }
  chunks_.push_back(piece);
  squares_of_piece_.resize(pieces_.size());
}

void FlatAdam::for_each_piece(auto&& work) const {
  const auto do_chunk = [&](std::int64_t chunk) {
    const auto i = static_cast<std::size_t>(chunk);
    for (auto piece = chunks_[i]; piece < chunks_[i + 1]; ++piece) work(piece);
  };
  const auto chunks = std::ssize(chunks_) - 1;
  if (workers_ != nullptr) return workers_->run(chunks, do_chunk);
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) do_chunk(chunk);
}

double FlatAdam::set_gradients(const Gradients& gradients) {
  const at::NoGradGuard no_grad;
  gradients_.clear();
  for (const auto& gradient : gradients)
    gradients_.push_back(gradient.defined() ? gradient.contiguous() : at::Tensor());
  const auto kernel = kernels::kernel_table().sum_of_squares;
  for_each_piece([&](std::size_t index) {
    const auto& [parameter, begin, offset, count] = pieces_[index];
    const auto& gradient = gradients_[parameter];
    squares_of_piece_[index] = gradient.defined() ? kernel(gradient.const_data_ptr<float>() + begin, count) : 0;
  });
  double sum = 0;
  for (const double squares : squares_of_piece_) sum += squares;
  return sum;
}

void FlatAdam::step(const kernels::AdamNumbers& numbers) {
  const at::NoGradGuard no_grad;
  std::vector<bool> is_unchanged(parameters_.size(), true);
  for (std::size_t piece = 0; piece < pieces_.size(); ++piece)
    if (squares_of_piece_[piece] != 0) is_unchanged[pieces_[piece].parameter] = false;

  std::vector<float*> weights;
  for (const auto& parameter : parameters_) weights.push_back(parameter.mutable_data_ptr<float>());
  auto* const m = m_.mutable_data_ptr<float>();
  auto* const v = v_.mutable_data_ptr<float>();
  auto* const ema = ema_.defined() ? ema_.mutable_data_ptr<float>() : nullptr;
  const auto kernel = kernels::kernel_table().adam;
  for_each_piece([&](std::size_t index) {
    const auto& [parameter, begin, offset, count] = pieces_[index];
    if (is_unchanged[parameter]) return;
    kernel({weights[parameter] + begin, gradients_[parameter].const_data_ptr<float>() + begin, m + offset, v + offset,
            ema != nullptr ? ema + offset : nullptr, count},
           numbers);
  });
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (is_unchanged[i] && ema_.defined()) views_[i].ema.lerp_(parameters_[i], numbers.ema_weight);
  clear_gradients();
}

void FlatAdam::clear_gradients() {
  gradients_.clear();
  std::ranges::fill(squares_of_piece_, 0.0);
}

}  // namespace gloss
