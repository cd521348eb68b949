#include "model/fast/matrix_product.h"

#include <mutex>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/device_test.h"
#include "tests/support/formula_tensor.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

struct ProductSizes {
  std::int64_t M, N, K;
};

class MatrixProductTest : public DeviceTest {
 protected:
  static constexpr double kTolerance = 2e-5;  // of sums of some hundred terms

  // Below, at and above the sizes of blocks.
  static std::vector<ProductSizes> sizes() {
    return {{1, 1, 1}, {3, 5, 7}, {16, 256, 256}, {129, 257, 259}, {300, 64, 33}, {37, 600, 520}, {0, 4, 4}, {4, 4, 0}};
  }
  static at::Tensor random(std::int64_t rows, std::int64_t columns, int number = 0) {
    return formula_tensor({rows, columns}, device(), number);
  }
  static at::Tensor in_double(const at::Tensor& a, const at::Tensor& b) {
    return a.to(at::kDouble).matmul(b.to(at::kDouble));
  }
};

TEST_P(MatrixProductTest, MultiplyEqualsTheProductInDoublePrecision) {
  for (const auto [M, N, K] : sizes()) {
    SCOPED_TRACE(::testing::Message() << M << " x " << K << " times " << K << " x " << N);
    const auto a = random(M, K), b = random(K, N, 1), bias = formula_tensor({N}, device(), 2);
    const auto out = at::full({M, N}, 77, a.options());
    multiply(a, b, {}, out);
    EXPECT_THAT(out, AllClose(in_double(a, b), kTolerance));
    multiply(a, b, bias, out);
    EXPECT_THAT(out, AllClose(in_double(a, b) + bias, kTolerance));
  }
}

TEST_P(MatrixProductTest, MultiplyTransposedEqualsTheProductInDoublePrecision) {
  for (const auto [M, N, K] : sizes()) {
    SCOPED_TRACE(::testing::Message() << M << " x " << K << " times " << K << " x " << N);
    const auto a = random(K, M), b = random(K, N, 1), before = random(M, N, 2);
    const auto out = at::full({M, N}, 77, a.options());
    multiply_transposed(a, b, out, /*add=*/false);
    EXPECT_THAT(out, AllClose(in_double(a.t(), b), kTolerance));
    out.copy_(before);
    multiply_transposed(a, b, out, /*add=*/true);
    EXPECT_THAT(out, AllClose(in_double(a.t(), b) + before, kTolerance));
  }
}

TEST_P(MatrixProductTest, TakesPartsOfLargerMatricesAndWritesNoOther) {
  const auto a = random(90, 70), b = random(70, 50, 1);
  const auto out = at::full({95, 60}, 77, a.options());
  multiply(a.slice(1, 10, 40), b.slice(0, 20, 50).slice(1, 5, 45), {}, out.slice(0, 3, 93).slice(1, 7, 47));
  EXPECT_THAT(out.slice(0, 3, 93).slice(1, 7, 47),
              AllClose(in_double(a.slice(1, 10, 40), b.slice(0, 20, 50).slice(1, 5, 45)), kTolerance));
  EXPECT_EQ(out.ne(77).sum().item<std::int64_t>(), 90 * 40);
}

TEST_P(MatrixProductTest, BitsOfARowDoNotDependOnOtherRows) {
  if (!device().is_cpu() || !has_block_products()) GTEST_SKIP() << "no products in blocks here";
  const auto a = random(150, 130), b = random(130, 70, 1);
  const auto all = at::empty({150, 70}, a.options());
  multiply(a, b, {}, all);
  for (const std::int64_t count : {1, 2, 5, 16, 63, 149}) {
    const auto some = at::empty({count, 70}, a.options());
    multiply(a.narrow(0, 1, count), b, {}, some);
    EXPECT_THAT(some, SameAs(all.narrow(0, 1, count))) << count;
  }
}

TEST_P(MatrixProductTest, EveryRowIsFinishedOnceAndWholeWhenItIsSaidTo) {
  const auto a = random(301, 20), b = random(20, 30, 1);
  const auto out = at::full({301, 30}, 77, a.options());
  std::mutex lock;
  std::vector<int> finished(301);
  multiply(a, b, {}, out, [&](std::int64_t first, std::int64_t rows) {
    const std::lock_guard guard(lock);
    EXPECT_EQ(first % 16, 0);
    for (std::int64_t row = first; row < first + rows; ++row) ++finished[static_cast<std::size_t>(row)];
    if (device().is_cpu()) {
      EXPECT_FALSE(out.narrow(0, first, rows).eq(77).any().item<bool>());
    }
  });
  EXPECT_EQ(finished, std::vector<int>(301, 1));
}

TEST_P(MatrixProductTest, BitsDoNotDependOnTheNumberOfThreads) {
  if (!device().is_cpu() || !has_block_products()) GTEST_SKIP() << "no products in blocks here";
  const auto a = random(200, 64), b = random(64, 80, 1), c = random(200, 80, 2);
  const auto run = [&] {
    const auto product = at::empty({200, 80}, a.options()), turned = at::empty({64, 80}, a.options());
    multiply(a, b, {}, product);
    multiply_transposed(a, c, turned, /*add=*/false);
    return std::vector{product, turned, column_sums(c)};
  };
  const int before = at::get_num_threads();
  at::set_num_threads(1);
  const auto one = run();
  at::set_num_threads(3);
  const auto three = run();
  at::set_num_threads(before);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_THAT(one[i], SameAs(three[i])) << i;
}

TEST_P(MatrixProductTest, RoundsBothFactorsToBfloat16WhereWantedAndNothingElse) {
  if (!device().is_cpu() || !has_bfloat16_products()) GTEST_SKIP() << "no products of bfloat16 here";
  const auto rounded = [](const at::Tensor& x) { return x.to(at::kBFloat16).to(at::kFloat); };
  for (const auto [M, N, K] : sizes()) {
    SCOPED_TRACE(::testing::Message() << M << " x " << K << " times " << K << " x " << N);
    const auto a = random(M, K), b = random(K, N, 1), bias = formula_tensor({N}, device(), 2), c = random(K, M, 3);
    const auto out = at::full({M, N}, 77, a.options()), turned = at::full({M, N}, 1, a.options());
    {
      const Bfloat16Products products(true);
      multiply(a, b, bias, out);
      multiply_transposed(c, b, turned, /*add=*/true);
    }
    EXPECT_THAT(out, AllClose(in_double(rounded(a), rounded(b)) + bias, kTolerance));
    EXPECT_THAT(turned, AllClose(in_double(rounded(c).t(), rounded(b)) + 1, kTolerance));
  }
  const auto a = random(40, 50), b = random(50, 60, 1), out = at::full({40, 60}, 77, a.options());
  multiply(a, b, {}, out);  // as before
  EXPECT_THAT(out, AllClose(in_double(a, b), kTolerance));
}

TEST_P(MatrixProductTest, TransposesAndAddsUpColumns) {
  for (const auto [rows, columns, unused] : sizes()) {
    const auto a = random(rows, columns);
    EXPECT_THAT(transposed(a), SameAs(a.t()));
    EXPECT_TRUE(transposed(a).is_contiguous());
    EXPECT_THAT(column_sums(a), AllClose(a.to(at::kDouble).sum(0), 1e-5));
  }
}

TEST_P(MatrixProductTest, RefusesShapesThatDoNotAgree) {
  const auto a = random(3, 4), b = random(4, 5), out = random(3, 5);
  EXPECT_THROW(multiply(a, random(3, 5), {}, out), ShapeError);
  EXPECT_THROW(multiply(a, b, {}, random(3, 4)), ShapeError);
  EXPECT_THROW(multiply(a, b, formula_tensor({4}, device()), out), ShapeError);
  EXPECT_THROW(multiply_transposed(a, b, out, false), ShapeError);
  EXPECT_THROW(multiply_transposed(a, out, out, false), ShapeError);
}

INSTANTIATE_DEVICES(MatrixProductTest);

}  // namespace
}  // namespace gloss
