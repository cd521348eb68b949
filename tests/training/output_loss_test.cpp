#include "training/output_loss.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/device_test.h"
#include "tests/support/formula_tensor.h"
#include "tests/support/recorded_operations.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr OutputPath kPaths[] = {OutputPath::kFastest, OutputPath::kPlain};

/// Enables LibTorch's autocast to bfloat16 on any device while it lives.
class Autocasting {
 public:
  explicit Autocasting(at::Device device) : type_(device.type()) {
    at::autocast::set_autocast_dtype(type_, at::kBFloat16);
    at::autocast::set_autocast_enabled(type_, true);
  }
  ~Autocasting() { at::autocast::set_autocast_enabled(type_, false); }
  Autocasting(const Autocasting&) = delete;
  Autocasting& operator=(const Autocasting&) = delete;

 private:
  at::DeviceType type_;
};

class OutputLossTest : public DeviceTest {
 protected:
  static constexpr std::int64_t kWidth = 12, kVocabulary = 37;

  static Generator generator(at::ScalarType type = at::kFloat) {
    Generator generator(kWidth, kVocabulary);
    const at::NoGradGuard no_grad;
    generator->weight().copy_(formula_tensor({kVocabulary, kWidth}, at::kCPU, 1));
    generator->bias().copy_(formula_tensor({kVocabulary}, at::kCPU, 2));
    generator->to(device(), type);
    return generator;
  }

  static at::Tensor input(std::int64_t N, at::ScalarType type = at::kFloat) {
    return formula_tensor({N, kWidth}, device()).mul_(3).to(type).requires_grad_();
  }

  /// Expects that loss and gradients equal those of the definition.
  static void expect_equal(std::int64_t N, double epsilon, at::ScalarType type, OutputPath path) {
    SCOPED_TRACE(std::to_string(N) + " rows of " + c10::toString(type));
    const double tolerance = type == at::kDouble ? 1e-12 : 1e-5;
    auto one = generator(type), other = generator(type);
    const auto x = input(N, type), y = input(N, type);
    const auto got = output_loss(one, x, wanted(N), epsilon, path);
    const auto plain = label_smoothed_loss(other(y), wanted(N), epsilon);
    EXPECT_FALSE(got.nll_sum.requires_grad());
    const auto rows = static_cast<double>(N);
    EXPECT_NEAR(got.nll_sum.item<double>(), plain.nll_sum.item<double>(), tolerance * rows);
    EXPECT_NEAR(got.smoothed_sum.item<double>(), plain.smoothed_sum.item<double>(), tolerance * rows);
    got.smoothed_sum.backward();
    plain.smoothed_sum.backward();
    EXPECT_THAT(x.grad(), AllClose(y.grad(), tolerance));
    EXPECT_THAT(one->weight().grad(), AllClose(other->weight().grad(), 10 * tolerance));
    EXPECT_THAT(one->bias().grad(), AllClose(other->bias().grad(), 10 * tolerance));
  }

  // Returns ids from 0 on, so that some rows have the target pad.
  static at::Tensor wanted(std::int64_t N) {
    std::vector<std::int64_t> ids;
    for (std::int64_t i = 0; i < N; ++i) ids.push_back(i * 7 % kVocabulary);
    return at::tensor(ids, at::kLong).to(device());
  }
};

TEST_P(OutputLossTest, EqualsGeneratorAndLossOneAfterTheOther) {
  for (const std::int64_t N : {1, 5, 256, 600, 5000}) {  // less than a slice, one, more, more on a GPU
    for (const double epsilon : {0.0, 0.1}) {
      for (const auto path : kPaths) expect_equal(N, epsilon, at::kFloat, path);
      expect_equal(N, epsilon, at::kDouble, OutputPath::kFastest);
    }
  }
}

TEST_P(OutputLossTest, GradientIsScaledByThatOfTheSum) {
  for (const auto path : kPaths) {
    auto one = generator(), other = generator();
    const auto x = input(9), y = input(9);
    output_loss(one, x, wanted(9), 0.1, path).smoothed_sum.backward();
    (output_loss(other, y, wanted(9), 0.1, path).smoothed_sum * 0.25).backward();
    EXPECT_THAT(y.grad(), AllClose(x.grad() * 0.25, 1e-7));
    EXPECT_THAT(other->weight().grad(), AllClose(one->weight().grad() * 0.25, 1e-6));
  }
}

TEST_P(OutputLossTest, FrozenTensorsGetNoGradientAndOthersDo) {
  for (const auto path : kPaths) {
    for (const bool weight : {true, false}) {
      auto all = generator(), part = generator();
      const auto& frozen = weight ? part->weight() : part->bias();
      const auto& trained = weight ? part->bias() : part->weight();
      frozen.requires_grad_(false);
      const auto x = input(300), y = input(300);
      output_loss(all, x, wanted(300), 0.1, path).smoothed_sum.backward();
      output_loss(part, y, wanted(300), 0.1, path).smoothed_sum.backward();
      EXPECT_THAT(y.grad(), SameAs(x.grad()));
      EXPECT_THAT(trained.grad(), SameAs(weight ? all->bias().grad() : all->weight().grad()));
      EXPECT_FALSE(frozen.grad().defined());
    }
    auto all = generator(), alone = generator();
    const auto x = input(300), constant = input(300).detach();
    output_loss(all, x, wanted(300), 0.1, path).smoothed_sum.backward();
    output_loss(alone, constant, wanted(300), 0.1, path).smoothed_sum.backward();
    EXPECT_THAT(alone->weight().grad(), SameAs(all->weight().grad()));
  }
}

TEST_P(OutputLossTest, IsTheSameWithoutRecordingOfGradients) {
  for (const auto path : kPaths) {
    auto part = generator();
    const auto x = input(300);
    const auto with = output_loss(part, x, wanted(300), 0.1, path);
    const at::NoGradGuard no_grad;
    const auto without = output_loss(part, x, wanted(300), 0.1, path);
    EXPECT_EQ(with.nll_sum.item<double>(), without.nll_sum.item<double>());
    EXPECT_EQ(with.smoothed_sum.item<double>(), without.smoothed_sum.item<double>());
  }
}

TEST_P(OutputLossTest, NaNAndInfinityPropagate) {
  for (const auto path : kPaths) {
    auto part = generator();
    const at::NoGradGuard no_grad;
    const auto x = input(20);
    x[4][2].fill_(std::numeric_limits<float>::quiet_NaN());
    EXPECT_FALSE(std::isfinite(output_loss(part, x, wanted(20), 0.0, path).nll_sum.item<double>()));
  }
}

TEST_P(OutputLossTest, AllLogitsNeverExistAtOnce) {
  constexpr std::int64_t N = 5000;
  const auto max_elements = [&](const auto& loss) {
    auto part = generator();
    const auto x = input(N);
    const RecordedOperations operations;
    loss(part, x).smoothed_sum.backward();
    return operations.max_elements();
  };
  EXPECT_GE(max_elements([&](auto& part, const at::Tensor& x) { return label_smoothed_loss(part(x), wanted(N), 0.1); }),
            N * kVocabulary);
  for (const auto path : kPaths)
    EXPECT_LT(max_elements([&](auto& part, const at::Tensor& x) { return output_loss(part, x, wanted(N), 0.1, path); }),
              N * kVocabulary / 2);
}

TEST_P(OutputLossTest, UnderAutocastFactorsAreRoundedAndSumsAreNot) {
  constexpr std::int64_t N = 600;
  auto exact = generator(), rounded = generator();
  const auto x = input(N), y = input(N);
  const auto wanted_loss = output_loss(exact, x, wanted(N), 0.1, OutputPath::kPlain);
  const auto loss = [&] {
    const Autocasting autocast(device());
    return output_loss(rounded, y, wanted(N), 0.1, OutputPath::kPlain);
  }();
  wanted_loss.smoothed_sum.backward();
  loss.smoothed_sum.backward();
  const double nll = wanted_loss.nll_sum.item<double>();
  EXPECT_NEAR(loss.nll_sum.item<double>(), nll, 2e-3 * nll);
  EXPECT_NE(loss.nll_sum.item<double>(), nll) << "nothing was rounded";
  EXPECT_EQ(loss.smoothed_sum.scalar_type(), at::kDouble);
  const std::pair<at::Tensor, at::Tensor> gradients[] = {{y.grad(), x.grad()},
                                                         {rounded->weight().grad(), exact->weight().grad()},
                                                         {rounded->bias().grad(), exact->bias().grad()}};
  for (const auto& [got, of_exact] : gradients) {
    EXPECT_EQ(got.scalar_type(), at::kFloat);
    EXPECT_THAT(got, AllClose(of_exact, 0.01 * of_exact.abs().max().item<double>()));
  }
}

TEST_P(OutputLossTest, RefusesMismatchedInputs) {
  auto part = generator();
  const auto x = formula_tensor({4, kWidth}, device());
  EXPECT_THAT([&] { output_loss(part, x, wanted(3), 0); }, ThrowsMessage<ShapeError>(HasSubstr("wanted [4], got [3]")));
  EXPECT_THROW(output_loss(part, x.narrow(1, 0, 5), wanted(4), 0), ShapeError);
  if (device().is_cpu()) {
    for (const auto path : kPaths)
      EXPECT_THAT([&] { output_loss(part, x, wanted(4) + kVocabulary, 0, path); },
                  ThrowsMessage<ShapeError>(HasSubstr("wanted ids from 0 to 36, got 37")));
  }
}

INSTANTIATE_DEVICES(OutputLossTest);

}  // namespace
}  // namespace gloss
