#include "training/batch_loss.h"

#include <cstdint>
#include <initializer_list>
#include <set>
#include <vector>

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include "common/special_ids.h"
#include "model/padding.h"
#include "tensor/runtime.h"
#include "tests/support/device_test.h"
#include "tests/support/recorded_operations.h"
#include "tests/training/toy_run.h"

namespace gloss {
namespace {

class BatchLossTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    set_up_determinism(1);
  }

  Batch rows(std::initializer_list<std::int64_t> indices) const {
    return toy_.corpus().batch(std::vector<std::int64_t>(indices));
  }

  Toy toy_{{.pairs = 30, .dropout = 0}, device()};
};

TEST_P(BatchLossTest, LossOfABatchIsTheSumOverItsSentences) {
  const at::NoGradGuard no_grad;
  auto model = toy_.model();
  const auto together = batch_loss(model, rows({0, 1, 2, 3, 4, 5}), 0.1, {});
  double smoothed = 0, nll = 0;
  std::set<std::int64_t> lengths;
  for (std::int64_t i = 0; i < 6; ++i) {
    const auto alone = batch_loss(model, rows({i}), 0.1, {});
    smoothed += alone.smoothed_sum.item<double>();
    nll += alone.nll_sum.item<double>();
    lengths.insert(rows({i}).target_tokens());
  }
  ASSERT_GT(lengths.size(), 1u) << "wanted a batch with padding";
  EXPECT_NEAR(together.smoothed_sum.item<double>(), smoothed, 1e-4);
  EXPECT_NEAR(together.nll_sum.item<double>(), nll, 1e-4);
}

TEST_P(BatchLossTest, APlainLossIsOfTheGeneratorAndTheSmoothedLoss) {
  auto model = toy_.model();
  const auto run = [&](bool plain) {
    const RecordedOperations operations;
    batch_loss(model, rows({0, 1, 2}), 0.1, {.plain = plain});
    return operations.has("aten::log_softmax");
  };
  EXPECT_TRUE(run(true));
  EXPECT_FALSE(run(false));
}

TEST_P(BatchLossTest, TokensOfALossAreThePositionsWithoutPadding) {
  const at::NoGradGuard no_grad;
  auto model = toy_.model();
  const auto tokens = [&](const Batch& batch) { return batch_loss(model, batch, 0.1, {}).tokens; };
  for (std::int64_t first = 0; first < 24; first += 6) {
    const auto batch = rows({first, first + 1, first + 2, first + 3, first + 4, first + 5});
    const auto labels = shift_target(batch.target, device()).labels;  // [B, T]
    ASSERT_LT(tokens(batch), labels.numel()) << "wanted a batch with padding";
    EXPECT_EQ(tokens(batch), labels.ne(kPad).sum().item<std::int64_t>());
  }
}

INSTANTIATE_DEVICES(BatchLossTest);

}  // namespace
}  // namespace gloss
