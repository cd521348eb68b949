#pragma once

#include <ostream>
#include <sstream>
#include <utility>

#include <ATen/core/Tensor.h>
#include <gmock/gmock.h>

namespace gloss {

/// Holds where shapes are equal and no element differs by more than `tolerance` times max(1, |expected|). NaN equals
/// nothing.
class AllClose {
 public:
  using is_gtest_matcher = void;

  AllClose(at::Tensor expected, double tolerance) : expected_(std::move(expected)), tolerance_(tolerance) {}

  bool MatchAndExplain(const at::Tensor& got, std::ostream* out) const {
    const auto say = [&]() -> std::ostream& {
      static std::ostringstream nowhere;
      return out == nullptr ? nowhere : *out;
    };
    if (!got.defined() || got.sizes() != expected_.sizes()) {
      say() << "of another shape: " << (got.defined() ? got.sizes() : at::IntArrayRef{});
      return false;
    }
    if (got.numel() == 0) return true;
    const auto wanted = expected_.detach().to(at::kCPU, at::kDouble), value = got.detach().to(at::kCPU, at::kDouble);
    const auto error = ((value - wanted).abs() / wanted.abs().clamp_min(1)).flatten();
    const auto worst = error.isnan().any().item<bool>() ? error.isnan().to(at::kInt).argmax() : error.argmax();
    const auto index = worst.item<std::int64_t>();
    const double largest = error[index].item<double>();
    say() << "differs most at element " << index << ": " << value.flatten()[index].item<double>() << ", wanted "
          << wanted.flatten()[index].item<double>();
    return largest <= tolerance_;  // false for NaN
  }
  void DescribeTo(std::ostream* out) const { *out << "is within " << tolerance_ << " of " << expected_.sizes(); }
  void DescribeNegationTo(std::ostream* out) const { *out << "is not within " << tolerance_ << " of what was wanted"; }

 private:
  at::Tensor expected_;
  double tolerance_;
};

/// Holds where every element is the same.
inline AllClose SameAs(const at::Tensor& expected) { return {expected, 0}; }

}  // namespace gloss
