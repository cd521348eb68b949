#include "training/mixed_precision.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "common/error.h"
#include "model/fast/matrix_product.h"
#include "tensor/runtime.h"
#include "tests/support/device_test.h"
#include "tests/training/toy_run.h"
#include "training/update.h"

namespace gloss {
namespace {

class MixedPrecisionTest : public DeviceTest {};

// Losses per token of some updates on a copy task.
std::vector<double> losses(Precision precision, at::Device device) {
  set_up_determinism(1);
  const Toy toy({.pairs = 200, .batch_tokens = 400, .d_model = 32, .dropout = 0.1}, device);
  TrainingConfig config;
  auto model = toy.model();
  Adam adam(named_parameters(model), config);
  Workers workers(1);
  auto batches = toy.batches();
  std::vector<double> result;
  for (std::int64_t step = 1; step <= 60; ++step) {
    const std::vector<Batch> batch = {batches.next()};
    const auto update =
        update_weights(model, adam, workers, batch, RandomStream(1, "dropout"),
                       {.step = step, .learning_rate = 0.005, .label_smoothing = 0.1, .precision = precision});
    EXPECT_TRUE(update.applied);
    result.push_back(update.nll_sum / static_cast<double>(update.tokens));
  }
  return result;
}

TEST_P(MixedPrecisionTest, LossIsCloseToFloat32) {
  if (device().is_cpu() && !has_bfloat16_products()) GTEST_SKIP() << "this processor has no products of bfloat16";
  const auto exact = losses(Precision::kFloat32, device()), rounded = losses(Precision::kBfloat16, device());
  EXPECT_LT(exact.back(), 0.8 * exact.front());  // the model learns
  double largest = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    EXPECT_NEAR(rounded[i], exact[i], 0.03 * exact[i]) << "step " << i + 1;
    largest = std::max(largest, std::abs(rounded[i] - exact[i]));
  }
  EXPECT_GT(largest, 1e-5);  // products were rounded
}

INSTANTIATE_DEVICES(MixedPrecisionTest);

TEST(MixedPrecision, IsRefusedOnUnsupportedProcessors) {
  EXPECT_NO_THROW(expect_precision(Precision::kFloat32, at::kCPU, false));
  EXPECT_NO_THROW(expect_precision(Precision::kBfloat16, at::kCUDA, false));
  if (has_bfloat16_products()) {
    EXPECT_NO_THROW(expect_precision(Precision::kBfloat16, at::kCPU, false));
  } else {
    EXPECT_THROW(expect_precision(Precision::kBfloat16, at::kCPU, false), UsageError);
  }
}

TEST(MixedPrecision, PlainPassesOnTheCpuHaveNoProductsOfBfloat16) {
  EXPECT_NO_THROW(expect_precision(Precision::kFloat32, at::kCPU, true));
  EXPECT_NO_THROW(expect_precision(Precision::kBfloat16, at::kCUDA, true));
  EXPECT_THROW(expect_precision(Precision::kBfloat16, at::kCPU, true), UsageError);
}

}  // namespace
}  // namespace gloss
