#include "decoding/scorer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/decoding/fake_scorer.h"
#include "tests/support/device_test.h"

namespace gloss {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

// The default implementation of Scorer::step_top, based on `step`.
class ScorerTest : public DeviceTest {
 protected:
  /// Returns the step after bos of one sentence with these logits.
  static TopTokens top(const std::vector<float>& logits, std::int64_t width, bool normalized = false) {
    const FakeScorer scorer([&](const Ids&, const Ids&) { return logits; }, std::ssize(logits), device(),
                            {.normalized = normalized});
    const auto state = scorer.start(sources(1, device()));
    return scorer.step_top(*state, Ids{kBos}, width);
  }
};

TEST_P(ScorerTest, TheLikeliestTokensAreRankedWithTheirLogits) {
  const auto found = top({-3, -1, -5, -2}, 3);
  EXPECT_EQ(found.width, 3);
  EXPECT_THAT(found.ids, ElementsAre(1, 3, 0));
  EXPECT_THAT(found.logits, ElementsAre(-1, -2, -3));
  EXPECT_THAT(found.log_normalizers, ElementsAre(0));
}

TEST_P(ScorerTest, TheNormalizerIsTheSteps) {
  EXPECT_THAT(top({0, 0, 0, 0}, 1, true).log_normalizers, ElementsAre(DoubleNear(std::log(4.0), 1e-6)));
}

TEST_P(ScorerTest, OfEqualsTheLowerIdStandsFirstWithinAndAtTheBorder) {
  EXPECT_THAT(top({-2, -1, -2, -1, -2, -1}, 2).ids, ElementsAre(1, 3));
  EXPECT_THAT(top({-2, -1, -2, -1, -2, -1}, 4).ids, ElementsAre(1, 3, 5, 0));
  EXPECT_THAT(top({-2, -1, -2, -1, -2, -1}, 6).ids, ElementsAre(1, 3, 5, 0, 2, 4));
  std::vector<std::int32_t> first(50);
  std::iota(first.begin(), first.end(), 0);
  EXPECT_EQ(top(std::vector<float>(3000, 0.5F), 50).ids, first);
}

TEST_P(ScorerTest, ImpossibleTokensAreLast) {
  constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
  const auto found = top({kMinusInfinity, -1, kMinusInfinity, -1}, 3);
  EXPECT_THAT(found.ids, ElementsAre(1, 3, 0));
  EXPECT_THAT(found.logits, ElementsAre(-1, -1, kMinusInfinity));
}

TEST_P(ScorerTest, RowsDoNotMix) {
  const FakeScorer scorer(random_rule(300), 300, device());
  const auto state = scorer.start(sources(3, device())), other = scorer.start(sources(3, device()));
  const auto bos = Ids(3, kBos);
  const auto found = scorer.step_top(*state, bos, 5);
  const auto logits = scorer.step(*other, bos, std::nullopt).logits.cpu();
  for (std::int64_t row = 0; row < 3; ++row) {
    std::vector<std::int32_t> order(300);
    std::iota(order.begin(), order.end(), 0);
    const auto* const all = logits.const_data_ptr<float>() + row * 300;
    std::ranges::stable_sort(order, [all](std::int32_t a, std::int32_t b) { return all[a] > all[b]; });
    EXPECT_TRUE(std::equal(order.begin(), order.begin() + 5, found.ids.begin() + row * 5)) << row;
  }
}

INSTANTIATE_DEVICES(ScorerTest);

}  // namespace
}  // namespace gloss
