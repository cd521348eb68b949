#include "decoding/log_normalizers.h"

#include <cmath>

#include <ATen/Parallel.h>
#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include "decoding/constraints.h"
#include "tests/decoding/fake_scorer.h"
#include "tests/support/device_test.h"
#include "tests/support/formula_tensor.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

class LogNormalizersTest : public DeviceTest {
 protected:
  ~LogNormalizersTest() override { at::set_num_threads(threads_); }

  const int threads_ = at::get_num_threads();
};

TEST_P(LogNormalizersTest, EachRowIsNormalized) {
  for (const std::int64_t V : {1, 7, 16384, 40000}) {
    const auto logits = formula_tensor({3, V}, device()) * 9;
    const auto wanted = logits.to(at::kDouble).logsumexp(-1).to(at::kFloat);
    EXPECT_THAT(log_normalizers(logits), AllClose(wanted, 1e-5)) << V;
  }
}

TEST_P(LogNormalizersTest, NonFiniteValuesStayNonFinite) {
  auto logits = at::full({3, 40000}, -INFINITY, at::device(device()));
  logits[1][39999] = NAN;
  logits[2][20000] = INFINITY;
  const auto found = log_normalizers(logits).cpu();
  EXPECT_EQ(found[0].item<float>(), -INFINITY);
  EXPECT_TRUE(std::isnan(found[1].item<float>()));
  EXPECT_EQ(found[2].item<float>(), INFINITY);
}

TEST_P(LogNormalizersTest, TheBitsOfARowDependNeitherOnThreadsNorOnItsNeighbors) {
  if (!device().is_cpu()) GTEST_SKIP() << "of the CPU only";
  const auto logits = formula_tensor({9, 40000}, device()) * 9;
  at::set_num_threads(1);
  const auto wanted = log_normalizers(logits);
  for (const int threads : {1, 2, 3, 4, 5, 7}) {
    at::set_num_threads(threads);
    EXPECT_THAT(log_normalizers(logits), SameAs(wanted)) << threads;
    for (std::int64_t row = 0; row < logits.size(0); ++row)
      EXPECT_THAT(log_normalizers(logits.narrow(0, row, 1)), SameAs(wanted.narrow(0, row, 1))) << threads;
  }
}

// The repetition penalty normalizes again.
TEST_P(LogNormalizersTest, APenalizedRowDependsNeitherOnThreadsNorOnItsNeighbors) {
  if (!device().is_cpu()) GTEST_SKIP() << "of the CPU only";
  constexpr std::int64_t kVocabulary = 40000;
  const FakeScorer scorer(random_rule(kVocabulary), kVocabulary, device());
  const DecodingConfig config{.repetition_penalty = 1.7};
  const auto normalizers = [&](std::int64_t first, std::int64_t count) {
    const auto state = scorer.start(sources(count, device(), static_cast<Id>(4 + first)));
    const Ids generated = {5, 6, 5};
    const std::vector<Constraints::Row> rows(static_cast<std::size_t>(count), {0, std::ssize(generated), &generated});
    const Ids bos(static_cast<std::size_t>(count), kBos);
    return Constraints(config, {}).step(scorer, *state, bos, rows, std::nullopt).log_normalizer;
  };
  at::set_num_threads(1);
  const auto wanted = normalizers(0, 6);
  for (const int threads : {1, 4}) {
    at::set_num_threads(threads);
    EXPECT_THAT(normalizers(0, 6), SameAs(wanted)) << threads;
    for (std::int64_t row = 0; row < 6; ++row)
      EXPECT_THAT(normalizers(row, 1), SameAs(wanted.narrow(0, row, 1))) << threads;
  }
}

INSTANTIATE_DEVICES(LogNormalizersTest);

}  // namespace
}  // namespace gloss
