#include "model/mask.h"

#include <algorithm>
#include <string>
#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/ones.h>

#include "common/error.h"
#include "tensor/shape.h"
#include "tensor/to_device.h"

namespace gloss {
Mask Mask::unmasked() { return {}; }

Mask Mask::padding(std::vector<std::int64_t> lengths) {
  Mask mask;
  mask.lengths_ = std::move(lengths);
  return mask;
}

Mask Mask::causal(std::vector<std::int64_t> lengths) { return padding(std::move(lengths)).as_causal(); }

Mask Mask::hiding(const at::Tensor& hidden) const {
  expect_dimensions(hidden, 2, "hidden");
  Mask mask = cached_ ? cached() : *this;
  mask.hidden_ = hidden_.defined() ? hidden_.logical_or(hidden) : hidden.to(at::kBool);
  return mask;
}

Mask Mask::as_causal() const {
  Mask mask = cached_ ? cached() : *this;
  mask.causal_ = true;
  return mask;
}

Mask Mask::cached() const {
  Mask mask = *this;
  mask.cached_ = std::make_shared<at::Tensor>();
  return mask;
}

Mask Mask::select(const std::vector<std::int64_t>& sentences) const {
  Mask mask = cached_ ? cached() : *this;
  mask.lengths_.clear();
  for (const auto b : sentences)
    if (!lengths_.empty()) mask.lengths_.push_back(lengths_.at(static_cast<std::size_t>(b)));
  if (hidden_.defined()) mask.hidden_ = hidden_.index_select(0, to_device(sentences, hidden_.device()));
  return mask;
}

bool Mask::hides_keys(std::int64_t S) const {
  return hidden_.defined() || std::ranges::any_of(lengths_, [S](std::int64_t length) { return length < S; });
}

bool Mask::all_visible(std::int64_t T, std::int64_t S) const {
  return !hides_keys(S) && (!causal_ || (T <= 1 && T <= S));
}

void Mask::expect_fits(std::int64_t B, std::int64_t S) const {
  if (!lengths_.empty() && static_cast<std::int64_t>(lengths_.size()) != B) {
    throw ShapeError("mask: wanted lengths of " + std::to_string(B) + " sentences, got " +
                     std::to_string(lengths_.size()));
  }
  for (const auto length : lengths_) {
    if (length < 0 || length > S)
      throw ShapeError("mask: wanted lengths from 0 to " + std::to_string(S) + ", got " + std::to_string(length));
  }
  if (hidden_.defined()) expect_shape(hidden_, {B, S}, "hidden");
}

at::Tensor Mask::visible(std::int64_t T, std::int64_t S, at::Device device) const {
  const auto fits = [&](const at::Tensor& tensor) {
    return tensor.defined() && tensor.device() == device && tensor.size(2) == (causal_ ? T : 1) && tensor.size(3) == S;
  };
  if (cached_ && fits(*cached_)) return *cached_;
  expect_fits(lengths_.empty() && hidden_.defined() ? hidden_.size(0) : std::ssize(lengths_), S);
  auto visible = at::ones({1, 1, 1, S}, at::device(device).dtype(at::kBool));
  if (!lengths_.empty()) {
    const auto lengths = to_device(lengths_, device).view({-1, 1, 1, 1});
    visible = at::arange(S, lengths.options()) < lengths;  // [B, 1, 1, S]
  }
  if (hidden_.defined())
    visible = visible.logical_and(hidden_.to(device).logical_not().view({-1, 1, 1, S}));        // [B, 1, 1, S]
  if (causal_) visible = visible.logical_and(at::ones({T, S}, visible.options()).tril(S - T));  // [B or 1, 1, T, S]
  if (cached_) *cached_ = visible;
  return visible;
}

}  // namespace gloss
