#include "model/alternatives/norms.h"

#include <cmath>
#include <utility>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/batch_statistics.h"
#include "model/layer_norm.h"
#include "tests/support/device_test.h"
#include "tests/support/formula_tensor.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

class BatchNormTest : public DeviceTest {
 protected:
  static at::Tensor example() {
    return at::tensor({1.0F, 2.0F, 4.0F, 2.0F, 3.0F, 4.0F, 3.0F, 4.0F, 4.0F, 4.0F, 4.0F, 4.0F})
        .view({2, 2, 3})
        .to(device());
  }
  static at::Tensor running_mean(const BatchNorm& norm) { return norm.named_parameters()["running_mean"]; }
  static at::Tensor running_variance(const BatchNorm& norm) { return norm.named_parameters()["running_variance"]; }
};

// The worked example of the two norms: layer norm takes the mean over a row, batch norm over a column. Reckoned by
// hand; without epsilon row [1, 2, 4] has mean 7/3 and variance 14/9, the columns have means 2.5, 3.25, 4 and variances
// 1.25, 0.6875, 0.
TEST_P(BatchNormTest, WorkedExampleAgainstLayerNorm) {
  const double epsilon = LayerNormImpl::kEpsilon;
  LayerNorm layer_norm(3);
  BatchNorm batch_norm(3);
  layer_norm->to(device());
  batch_norm.to(device());
  const Pass training{.training = true};
  const auto by_row = layer_norm(example(), training), by_column = batch_norm.forward(example(), training);

  const auto first = 1 / std::sqrt(14.0 / 9 + epsilon), second = 1 / std::sqrt(2.0 / 3 + epsilon);
  EXPECT_THAT(
      by_row[0][0],
      AllClose(at::tensor({-4.0 / 3 * first, -1.0 / 3 * first, 5.0 / 3 * first}).to(device(), at::kFloat), 1e-5));
  EXPECT_THAT(by_row[0][1], AllClose(at::tensor({-second, 0.0, second}).to(device(), at::kFloat), 1e-5));
  EXPECT_THAT(by_row[1][1], AllClose(at::tensor({0.0, 0.0, 0.0}).to(device(), at::kFloat), 1e-5));

  const auto a = 1 / std::sqrt(1.25 + epsilon), b = 1 / std::sqrt(0.6875 + epsilon);
  const auto wanted =
      at::tensor({-1.5 * a, -1.25 * b, 0.0, -0.5 * a, -0.25 * b, 0.0, 0.5 * a, 0.75 * b, 0.0, 1.5 * a, 0.75 * b, 0.0})
          .view({2, 2, 3})
          .to(device(), at::kFloat);
  EXPECT_THAT(by_column, AllClose(wanted, 1e-5));
}

TEST_P(BatchNormTest, PaddingDoesNotEnterTheStatistics) {
  BatchNorm norm(3);
  norm.to(device());
  const auto x = example();
  BatchContext of_source{{2, 1}, {2, 2}}, of_target{{2, 2}, {2, 1}};
  for (const auto& [site, batch] :
       {std::pair("encoder.norm", &of_source), std::pair("decoder.norm", &of_target),
        std::pair("source_embedding_norm", &of_source), std::pair("target_embedding_norm", &of_target)}) {
    norm.set_site(site);
    const Pass training{.training = true, .batch = batch};
    const auto before = norm.forward(x, training);
    auto other = x.clone();
    other[1][1] = 100;  // padding
    const auto after = norm.forward(other, training);
    EXPECT_THAT(after[0], SameAs(before[0])) << site;
    EXPECT_THAT(after[1][0], SameAs(before[1][0])) << site;
    const auto all = norm.forward(other, Pass{.training = true});
    EXPECT_THAT(all[0], testing::Not(AllClose(before[0], 1e-3))) << site;
  }
}

TEST_P(BatchNormTest, RunningStatisticsServeOtherPasses) {
  BatchNorm norm(3);
  norm.to(device());
  EXPECT_THAT(norm.forward(example(), Pass{}), AllClose(example(), 1e-4));  // mean 0 and variance 1 at first
  BatchContext batch;
  norm.forward(example(), Pass{.training = true, .batch = &batch});
  EXPECT_THAT(running_mean(norm), SameAs(at::zeros_like(running_mean(norm))));  // until the update counts
  batch.statistics.update_running();
  EXPECT_THAT(running_mean(norm), AllClose(at::tensor({0.25F, 0.325F, 0.4F}).to(device()), 1e-6));
  // 0.9 + 0.1 * the unbiased variance, 4/3 of the biased one
  EXPECT_THAT(running_variance(norm),
              AllClose(at::tensor({0.9 + 0.5 / 3, 0.9 + 0.275 / 3, 0.9}).to(device(), at::kFloat), 1e-6));

  const auto x = formula_tensor({2, 2, 3}, device());
  const auto mean = running_mean(norm), variance = running_variance(norm);
  EXPECT_THAT(norm.forward(x, Pass{}), AllClose((x - mean) / (variance + LayerNormImpl::kEpsilon).sqrt(), 1e-6));
}

TEST_P(BatchNormTest, StatisticsAreUsedInTheOrderOfTheirPasses) {
  BatchNorm norm(3), other(3);
  norm.to(device());
  other.to(device());
  const auto x = formula_tensor({2, 2, 3}, device());
  BatchContext first, after, together;
  norm.forward(example(), Pass{.training = true, .batch = &first});
  norm.forward(x, Pass{.training = true, .batch = &after});
  first.statistics.append(std::move(after.statistics));
  first.statistics.update_running();
  other.forward(example(), Pass{.training = true, .batch = &together});
  other.forward(x, Pass{.training = true, .batch = &together});
  together.statistics.update_running();
  EXPECT_THAT(running_mean(norm), SameAs(running_mean(other)));
  EXPECT_THAT(running_variance(norm), SameAs(running_variance(other)));
  EXPECT_THAT(running_mean(norm), testing::Not(SameAs(at::zeros_like(running_mean(norm)))));
}

TEST_P(BatchNormTest, AFrozenNormKeepsItsStatistics) {
  BatchNorm norm(3);
  norm.to(device());
  for (auto& parameter : norm.parameters()) parameter.requires_grad_(false);
  BatchContext batch;
  const auto y = norm.forward(example(), Pass{.training = true, .batch = &batch});
  EXPECT_THAT(y, SameAs(norm.forward(example(), Pass{})));
  batch.statistics.update_running();
  EXPECT_THAT(running_mean(norm), SameAs(at::zeros_like(running_mean(norm))));
}

TEST_P(BatchNormTest, RmsNormOfHalfPrecisionIsComputedInFloat) {
  RmsNorm norm(3);
  norm.to(device(), at::kHalf);
  const auto x = at::full({1, 2, 3}, 300.0, at::device(device()).dtype(at::kHalf));  // its square is too large
  const auto y = norm.forward(x, {});
  EXPECT_EQ(y.scalar_type(), at::kHalf);
  EXPECT_THAT(y, SameAs(at::ones_like(x)));
}

INSTANTIATE_DEVICES(BatchNormTest);

}  // namespace
}  // namespace gloss
