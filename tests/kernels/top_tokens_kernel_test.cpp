#include "kernels/top_tokens_kernel.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "tests/kernels/kernel_test.h"
#include "tests/kernels/packed_matrix.h"

namespace gloss::kernels {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Result {
  std::vector<float> logits, max, sums;
  std::vector<std::int32_t> ids;

  // Returns log of the sum of e^logit over the panels of a row.
  double log_sum(std::int64_t row) const {
    double sum = 0;
    for (std::int64_t lane = 0; lane < kSumLanes; ++lane) sum += sums[static_cast<std::size_t>(row * kSumLanes + lane)];
    return max[static_cast<std::size_t>(row)] + std::log(sum);
  }
};

class TopTokensKernelTest : public KernelTest {
 protected:
  static constexpr std::int64_t kGap = 3;

  struct Case {
    std::int64_t rows, inner, V;
    std::vector<float> x, weight, bias;
    std::int64_t stride() const { return inner + kGap; }
    PackedForTest packed() const { return {weight, bias, inner}; }
  };
  static Case make(std::int64_t rows, std::int64_t inner, std::int64_t V) {
    const auto values = [](std::int64_t count, int number) {
      return formula_values(static_cast<std::size_t>(count), number);
    };
    return {rows, inner, V, values(rows * (inner + kGap), 0), values(inner * V, 1), values(V, 2)};
  }

  static Result empty_result(std::int64_t rows, std::int64_t width) {
    const auto size = [](std::int64_t count) { return static_cast<std::size_t>(count); };
    return {std::vector<float>(size(rows * width), -kInfinity), std::vector<float>(size(rows), 77.0F),
            std::vector<float>(size(rows * kSumLanes), 77.0F), std::vector<std::int32_t>(size(rows * width), -1)};
  }
  static void run_kernel(const Case& input, const PackedForTest& packed, std::int64_t width, std::int64_t first,
                         std::int64_t last, Result& result, std::int64_t row = 0, std::int64_t rows = 0) {
    kernels().top_tokens({{input.x.data() + row * input.stride(), input.stride()},
                          rows == 0 ? input.rows : rows,
                          packed.matrix(),
                          first,
                          last,
                          width,
                          result.logits.data(),
                          result.ids.data(),
                          result.max.data(),
                          result.sums.data()});
  }
  static Result by_kernel(const Case& input, std::int64_t width) {
    auto result = empty_result(input.rows, width);
    run_kernel(input, input.packed(), width, 0, panels_of(input.V), result);
    return result;
  }

  // Returns all logits of a row, computed by packed_product.
  static std::vector<float> logits(const Case& input, const PackedForTest& packed, std::int64_t row) {
    std::vector<float> out(static_cast<std::size_t>(input.V));
    kernels().packed_product({{input.x.data() + row * input.stride(), input.stride()},
                              1,
                              packed.matrix(),
                              0,
                              packed.panels(),
                              {out.data(), input.V},
                              Finish::kStore});
    return out;
  }

  static void expect_ranked(const Case& input, std::int64_t width) {
    const auto packed = input.packed();
    auto result = empty_result(input.rows, width);
    run_kernel(input, packed, width, 0, packed.panels(), result);
    for (std::int64_t row = 0; row < input.rows; ++row) {
      SCOPED_TRACE("row " + std::to_string(row) + ", V " + std::to_string(input.V) + ", width " +
                   std::to_string(width));
      const auto all = logits(input, packed, row);
      std::vector<std::int32_t> order(all.size());
      std::iota(order.begin(), order.end(), 0);
      std::ranges::stable_sort(order, [&](std::int32_t a, std::int32_t b) {
        return all[static_cast<std::size_t>(a)] > all[static_cast<std::size_t>(b)];
      });
      double sum = 0;
      for (const double logit : all) sum += std::exp(logit - all[static_cast<std::size_t>(order[0])]);
      for (std::int64_t i = 0; i < width; ++i) {
        const auto position = static_cast<std::size_t>(row * width + i), id = static_cast<std::size_t>(i);
        ASSERT_EQ(result.ids[position], order[id]) << i;
        ASSERT_EQ(result.logits[position], all[static_cast<std::size_t>(order[id])]) << i;
      }
      ASSERT_EQ(result.max[static_cast<std::size_t>(row)], all[static_cast<std::size_t>(order[0])]);
      ASSERT_NEAR(result.log_sum(row), all[static_cast<std::size_t>(order[0])] + std::log(sum), 2e-6);
    }
  }
};

TEST_P(TopTokensKernelTest, RanksAndSumsTheLogitsOfThePackedProduct) {
  for (const std::int64_t V : {1, 63, 64, 65, 1000}) {
    for (const std::int64_t inner : {1, 5, 130}) {
      for (std::int64_t rows = 1; rows <= 13; rows += inner == 5 ? 1 : 6) {
        for (const std::int64_t width :
             {std::int64_t{1}, std::min<std::int64_t>(V, 2), std::min<std::int64_t>(V, 10), V})
          expect_ranked(make(rows, inner, V), width);
      }
    }
  }
}

TEST_P(TopTokensKernelTest, TiesAreOrderedById) {
  for (const std::int64_t V : {40, 200}) {
    auto input = make(7, 2, V);
    std::ranges::fill(input.weight, 0.0F);
    std::ranges::fill(input.bias, -1.5F);
    for (const std::int64_t width : {std::int64_t{1}, std::int64_t{9}, V}) expect_ranked(input, width);
    for (const std::size_t id : {3, 17, 39}) input.bias[id] = -0.5F;
    for (const std::size_t id : {2, 18, 38}) input.bias[id] = -1.0F;
    for (const std::int64_t width : {std::int64_t{2}, std::int64_t{5}, V}) expect_ranked(input, width);
  }
}

TEST_P(TopTokensKernelTest, PanelRangesUpdateTheBestTokens) {
  const auto input = make(8, 5, 1000);
  const auto whole = by_kernel(input, 12);
  auto result = empty_result(8, 12);
  std::vector<double> sums(8, 0);
  for (std::int64_t panel = 0; panel < panels_of(1000); panel += 5) {
    run_kernel(input, input.packed(), 12, panel, std::min<std::int64_t>(panel + 5, panels_of(1000)), result);
    for (std::int64_t row = 0; row < 8; ++row) sums[static_cast<std::size_t>(row)] += std::exp(result.log_sum(row));
  }
  EXPECT_EQ(result.ids, whole.ids);
  EXPECT_EQ(result.logits, whole.logits);
  for (std::int64_t row = 0; row < 8; ++row)
    EXPECT_NEAR(std::log(sums[static_cast<std::size_t>(row)]), whole.log_sum(row), 2e-6);
}

TEST_P(TopTokensKernelTest, EmptyPanelRangeChangesNothingAndSumsToZero) {
  const auto input = make(2, 5, 10);
  auto result = empty_result(2, 3);
  run_kernel(input, input.packed(), 3, 1, 1, result);
  EXPECT_EQ(result.ids, std::vector<std::int32_t>(6, -1));
  EXPECT_EQ(result.sums, std::vector<float>(2 * kSumLanes, 0.0F));
  EXPECT_TRUE(std::isfinite(result.max[0]));
}

TEST_P(TopTokensKernelTest, BitsOfARowDoNotDependOnOtherRows) {
  const auto input = make(13, 130, 1000);
  const auto together = by_kernel(input, 10);
  const auto packed = input.packed();
  for (std::int64_t row = 0; row < 13; ++row) {
    auto alone = empty_result(1, 10);
    run_kernel(input, packed, 10, 0, panels_of(1000), alone, row, 1);
    ASSERT_TRUE(std::equal(alone.logits.begin(), alone.logits.end(), together.logits.begin() + row * 10)) << row;
    ASSERT_TRUE(std::equal(alone.ids.begin(), alone.ids.end(), together.ids.begin() + row * 10)) << row;
    ASSERT_TRUE(std::equal(alone.sums.begin(), alone.sums.end(), together.sums.begin() + row * kSumLanes)) << row;
    ASSERT_EQ(alone.max[0], together.max[static_cast<std::size_t>(row)]) << row;
  }
}

TEST_P(TopTokensKernelTest, ExtremeLogitsHaveNoWeightAndDoNotOverflow) {
  auto input = make(1, 1, 200);
  std::ranges::fill(input.weight, 0.0F);
  std::ranges::fill(input.bias, -3e4F);
  input.bias[150] = 3e4F;
  EXPECT_EQ(by_kernel(input, 1).ids[0], 150);
  EXPECT_EQ(by_kernel(input, 1).log_sum(0), 3e4);
}

TEST_P(TopTokensKernelTest, NaNAndInfinityMakeTheSumNotFinite) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), kInfinity}) {
    for (const std::size_t position : {0, 15, 63, 64, 99}) {
      auto input = make(7, 5, 100);
      input.bias[position] = bad;
      const auto result = by_kernel(input, 3);
      for (std::int64_t row = 0; row < 7; ++row)
        ASSERT_FALSE(std::isfinite(result.log_sum(row))) << bad << " " << position;
    }
  }
}

INSTANTIATE_INSTRUCTION_SETS(TopTokensKernelTest);

}  // namespace
}  // namespace gloss::kernels
