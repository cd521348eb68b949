#include "training/label_smoothing.h"

#include <fstream>

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/config/json.h"
#include "common/error.h"
#include "tests/support/device_test.h"
#include "tests/training/golden_tensor.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class LabelSmoothingTest : public DeviceTest {};

TEST_P(LabelSmoothingTest, EqualsPyTorchCrossEntropyInValueAndGradient) {
  const auto golden = read_golden("label_smoothing.json");
  const auto expected = at::tensor(golden.at("wanted").get<std::vector<std::int64_t>>()).to(device());
  for (const Json& expected_case : golden.at("cases")) {
    const auto logits = golden_tensor(golden.at("logits"), device()).requires_grad_();
    const auto loss = label_smoothed_loss(logits.log_softmax(-1), expected, expected_case.at("epsilon"));
    EXPECT_NEAR(loss.smoothed_sum.item<double>(), expected_case.at("smoothed_sum"), 1e-5 * 20);
    EXPECT_NEAR(loss.nll_sum.item<double>(), expected_case.at("nll_sum"), 1e-5 * 20);
    EXPECT_FALSE(loss.nll_sum.requires_grad());
    loss.smoothed_sum.backward();
    EXPECT_LT((logits.grad() - golden_tensor(expected_case.at("gradient"), device())).abs().max().item<double>(), 1e-6);
  }
}

TEST_P(LabelSmoothingTest, RowsWithTargetPadDoNotCount) {
  const auto rows = at::arange(20, device()).to(at::kFloat).mul(0.37).sin().view({4, 5}).log_softmax(-1);
  const auto expected = at::tensor(std::vector<std::int64_t>{0, 3, 0, 4}).to(device());
  const auto kept = at::tensor(std::vector<std::int64_t>{1, 3}).to(device());
  const auto all = label_smoothed_loss(rows, expected, 0.1);
  const auto some = label_smoothed_loss(rows.index_select(0, kept), expected.index_select(0, kept), 0.1);
  EXPECT_NEAR(all.smoothed_sum.item<double>(), some.smoothed_sum.item<double>(), 1e-5);
  EXPECT_NEAR(all.nll_sum.item<double>(), some.nll_sum.item<double>(), 1e-5);
}

TEST_P(LabelSmoothingTest, RefusesMismatchedTargets) {
  const auto rows = at::zeros({4, 5}, device());
  const auto expected = at::ones({3}, at::TensorOptions(device()).dtype(at::kLong));
  EXPECT_THAT([&] { label_smoothed_loss(rows, expected, 0); },
              ThrowsMessage<ShapeError>(HasSubstr("wanted [4], got 3")));
  EXPECT_THROW(label_smoothed_loss(rows.view({2, 2, 5}), expected, 0), ShapeError);
}

INSTANTIATE_DEVICES(LabelSmoothingTest);

}  // namespace
}  // namespace gloss
