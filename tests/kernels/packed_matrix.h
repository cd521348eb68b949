#pragma once

#include <cstddef>
#include <vector>

#include "kernels/packed_product_kernel.h"

namespace gloss::kernels {

/// A matrix [inner, columns] and its bias in the kernels' packed layout.
class PackedForTest {
 public:
  PackedForTest(const std::vector<float>& weight, const std::vector<float>& bias, std::int64_t inner)
      : inner_(inner), columns_(static_cast<std::int64_t>(bias.size())), bias_(bias) {
    const auto panels = panels_of(columns_);
    panels_.resize(static_cast<std::size_t>(panels * inner * kPanelColumns), 0.0F);
    bias_.resize(static_cast<std::size_t>(panels * kPanelColumns), -1e30F);
    for (std::int64_t k = 0; k < inner; ++k) {
      for (std::int64_t j = 0; j < columns_; ++j) {
        const auto position = (j / kPanelColumns * inner + k) * kPanelColumns + j % kPanelColumns;
        panels_[static_cast<std::size_t>(position)] = weight[static_cast<std::size_t>(k * columns_ + j)];
      }
    }
  }

  PackedMatrix matrix() const {
    return {Precision::kFloat32, panels_.data(), bias_.data(), nullptr, nullptr, inner_, columns_};
  }
  std::int64_t panels() const { return panels_of(columns_); }

 private:
  std::int64_t inner_, columns_;
  std::vector<float> panels_, bias_;
};

}  // namespace gloss::kernels
