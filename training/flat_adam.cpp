#include "training/flat_adam.h"

#include <algorithm>
#include <utility>

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>

#include "kernels/kernel_table.h"

namespace gloss {
namespace {

constexpr std::int64_t kLine = 16;           // floats of a cache line, the alignment of each parameter
constexpr std::int64_t kElements = 1 << 15;  // elements of a chunk, the unit of work of a thread

}  // namespace

bool FlatAdam::can_keep(const std::vector<at::Tensor>& parameters) {
  return std::ranges::all_of(parameters, [](const at::Tensor& parameter) {
    return parameter.is_cpu() && parameter.scalar_type() == at::kFloat && parameter.is_contiguous();
  });
}

FlatAdam::FlatAdam(std::vector<at::Tensor> parameters, bool with_ema) : parameters_(std::move(parameters)) {
  const at::NoGradGuard no_grad;
  std::vector<std::int64_t> offsets;
  std::int64_t size = 0;
  for (const auto& parameter : parameters_) {
    offsets.push_back(size);
    size += (parameter.numel() + kLine - 1) / kLine * kLine;
  }
  gradient_ = at::zeros({size});
  m_ = at::zeros({size});
  v_ = at::zeros({size});
  if (with_ema) ema_ = at::zeros({size});
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const auto view = [&](const at::Tensor& buffer) {
      return buffer.narrow(0, offsets[i], parameters_[i].numel()).view(parameters_[i].sizes());
    };
    views_.push_back({view(gradient_), view(m_), view(v_), {}});
    if (with_ema) (views_.back().ema = view(ema_)).copy_(parameters_[i]);
    parameters_[i].mutable_grad() = views_.back().gradient;
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
  at::parallel_for(0, static_cast<std::int64_t>(chunks_.size()) - 1, 1, [&](std::int64_t begin, std::int64_t end) {
    for (auto piece = chunks_[static_cast<std::size_t>(begin)]; piece < chunks_[static_cast<std::size_t>(end)]; ++piece)
      work(piece);
  });
}

// Autograd adds to an existing gradient in place. A gradient that was replaced or removed by other code is handled,
// too.
void FlatAdam::collect_gradients() {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    auto& gradient = parameters_[i].mutable_grad();
    const auto& view = views_[i].gradient;
    if (gradient.is_same(view)) continue;
    if (gradient.defined())
      view.copy_(gradient);
    else
      view.zero_();
    gradient = view;
    measured_ = false;
  }
}

double FlatAdam::sum_of_squares() {
  const at::NoGradGuard no_grad;
  collect_gradients();
  const auto* gradient = gradient_.const_data_ptr<float>();
  const auto kernel = kernels::kernel_table().sum_of_squares;
  for_each_piece([&](std::size_t piece) {
    squares_of_piece_[piece] = kernel(gradient + pieces_[piece].offset, pieces_[piece].count);
  });
  measured_ = true;
  double sum = 0;
  for (const double squares : squares_of_piece_) sum += squares;
  return sum;
}

void FlatAdam::step(const kernels::AdamNumbers& numbers) {
  const at::NoGradGuard no_grad;
  collect_gradients();
  if (!measured_) sum_of_squares();
  std::vector<bool> is_unchanged(parameters_.size(), true);
  for (std::size_t piece = 0; piece < pieces_.size(); ++piece)
    if (squares_of_piece_[piece] != 0) is_unchanged[pieces_[piece].parameter] = false;

  std::vector<float*> weights;
  for (const auto& parameter : parameters_) weights.push_back(parameter.mutable_data_ptr<float>());
  auto* const gradient = gradient_.mutable_data_ptr<float>();
  auto* const m = m_.mutable_data_ptr<float>();
  auto* const v = v_.mutable_data_ptr<float>();
  auto* const ema = ema_.defined() ? ema_.mutable_data_ptr<float>() : nullptr;
  const auto kernel = kernels::kernel_table().adam;
  for_each_piece([&](std::size_t index) {
    const auto& [parameter, begin, offset, count] = pieces_[index];
    if (is_unchanged[parameter]) return;
    kernel({weights[parameter] + begin, gradient + offset, m + offset, v + offset,
            ema != nullptr ? ema + offset : nullptr, count},
           numbers);
  });
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (is_unchanged[i] && ema_.defined()) views_[i].ema.lerp_(parameters_[i], numbers.ema_weight);
  measured_ = false;
}

void FlatAdam::clear_gradients() {
  gradient_.zero_();
  for (std::size_t i = 0; i < parameters_.size(); ++i) parameters_[i].mutable_grad() = views_[i].gradient;
  measured_ = false;
}

}  // namespace gloss
