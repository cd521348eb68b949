#include "kernels/attention_kernel.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "common/random.h"
#include "tests/kernels/kernel_test.h"

namespace gloss::kernels {
namespace {

const RandomStream kStream = RandomStream(11, "kernel").at(7, 1);
const DropoutMask kMask{{kStream.key()[0], kStream.key()[1]}, 7, 1, 0x60000000, 1 / (1 - 0.375F)};

struct Result {
  std::vector<float> out, of_query, of_key, of_value;
};

struct Case {
  std::int64_t T, S, d_k, visible;
  bool causal, dropout;
  std::uint64_t first = 0;
};

class AttentionKernelTest : public KernelTest {
 protected:
  static constexpr std::ptrdiff_t kCanaries = 256;

  // The row stride is larger than the row, as for heads in a projection.
  static std::int64_t stride(const Case& a) { return a.d_k + 3; }
  static std::vector<float> rows(const Case& a, std::int64_t count, int number) {
    return formula_values(static_cast<std::size_t>(count * stride(a)), number);
  }

  static Result by_kernel(const Case& a) {
    const AttentionHead head{a.T, a.S, a.d_k, a.visible, a.causal, a.dropout ? &kMask : nullptr, a.first};
    const auto query = rows(a, a.T, 0), key = rows(a, a.S, 1), value = rows(a, a.S, 2), gradient = rows(a, a.T, 3);
    const auto size = [&](std::int64_t count) { return static_cast<std::size_t>(count * stride(a)); };
    Result result{std::vector<float>(size(a.T)), std::vector<float>(size(a.T)), std::vector<float>(size(a.S)),
                  std::vector<float>(size(a.S))};
    const auto floats = static_cast<std::size_t>(attention_scratch(a.T, a.S, a.d_k));
    std::vector<float> logs(static_cast<std::size_t>(a.T)), scratch(floats + kCanaries, 77.0F);
    const auto s = stride(a);
    kernels().attention(head, {query.data(), s}, {key.data(), s}, {value.data(), s}, {result.out.data(), s},
                        logs.data(), scratch.data());
    kernels().attention_backward(
        head, {query.data(), s}, {key.data(), s}, {value.data(), s}, {gradient.data(), s}, logs.data(),
        {{result.of_query.data(), s}, {result.of_key.data(), s}, {result.of_value.data(), s}}, scratch.data());
    EXPECT_EQ(std::ranges::count(scratch.end() - kCanaries, scratch.end(), 77.0F), kCanaries)
        << "written past the scratch";
    return result;
  }

  // The equations, in double precision.
  static Result by_definition(const Case& a) {
    const auto query = rows(a, a.T, 0), key = rows(a, a.S, 1), value = rows(a, a.S, 2), gradient = rows(a, a.T, 3);
    const auto at = [&](const std::vector<float>& m, std::int64_t i, std::int64_t j) -> double {
      return m[static_cast<std::size_t>(i * stride(a) + j)];
    };
    const auto size = [&](std::int64_t count) { return static_cast<std::size_t>(count * stride(a)); };
    std::vector<double> out(size(a.T)), of_query(size(a.T)), of_key(size(a.S)), of_value(size(a.S));
    const auto add = [&](std::vector<double>& m, std::int64_t i, std::int64_t j, double x) {
      m[static_cast<std::size_t>(i * stride(a) + j)] += x;
    };
    const double scale = 1 / std::sqrt(static_cast<double>(a.d_k));
    for (std::int64_t t = 0; t < a.T; ++t) {
      const auto end = std::min(a.visible, a.causal ? std::max<std::int64_t>(0, t + 1 + a.S - a.T) : a.S);
      std::vector<double> weight(static_cast<std::size_t>(a.S)), factor(weight.size(), 1), of_weight(weight.size());
      double sum = 0, expected = 0;
      for (std::int64_t s = 0; s < end; ++s) {
        double score = 0;
        for (std::int64_t j = 0; j < a.d_k; ++j) score += at(query, t, j) * at(key, s, j) * scale;
        sum += weight[static_cast<std::size_t>(s)] = std::exp(score);
      }
      for (std::int64_t s = 0; s < end; ++s) {
        const auto i = static_cast<std::size_t>(s);
        weight[i] /= sum;
        if (a.dropout)
          factor[i] = kStream.bits(a.first + static_cast<std::uint64_t>(t * a.S + s)) < kMask.threshold
                          ? 0
                          : static_cast<double>(kMask.scale);
        for (std::int64_t j = 0; j < a.d_k; ++j) {
          add(out, t, j, weight[i] * factor[i] * at(value, s, j));
          add(of_value, s, j, weight[i] * factor[i] * at(gradient, t, j));
          of_weight[i] += factor[i] * at(gradient, t, j) * at(value, s, j);
        }
        expected += weight[i] * of_weight[i];
      }
      for (std::int64_t s = 0; s < end; ++s) {
        const auto i = static_cast<std::size_t>(s);
        const double of_score = weight[i] * (of_weight[i] - expected) * scale;
        for (std::int64_t j = 0; j < a.d_k; ++j) {
          add(of_query, t, j, of_score * at(key, s, j));
          add(of_key, s, j, of_score * at(query, t, j));
        }
      }
    }
    const auto floats = [](const std::vector<double>& m) { return std::vector<float>(m.begin(), m.end()); };
    return {floats(out), floats(of_query), floats(of_key), floats(of_value)};
  }

  static void expect_near(const std::vector<float>& got, const std::vector<float>& wanted, const char* name) {
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t e = 0; e < got.size(); ++e)
      ASSERT_NEAR(got[e], wanted[e], 1e-5 * std::max(1.0F, std::abs(wanted[e]))) << name << ", element " << e;
  }
};

TEST_P(AttentionKernelTest, EqualsTheEquationAndItsGradientsInOddShapes) {
  for (const Case& a :
       {Case{1, 1, 1, 1, false, false}, Case{5, 7, 8, 7, false, false}, Case{7, 7, 32, 7, true, false},
        Case{9, 17, 5, 11, false, true}, Case{4, 33, 64, 33, false, true, 1234567}, Case{19, 19, 16, 12, true, true, 5},
        Case{3, 7, 12, 7, true, true, 3}, Case{70, 50, 20, 50, false, true, (std::uint64_t{1} << 33) + 2},
        Case{32, 32, 16, 32, false, true, 7}}) {
    SCOPED_TRACE(std::to_string(a.T) + " x " + std::to_string(a.S) + " x " + std::to_string(a.d_k));
    const auto got = by_kernel(a), wanted = by_definition(a);
    expect_near(got.out, wanted.out, "out");
    expect_near(got.of_query, wanted.of_query, "query's gradient");
    expect_near(got.of_key, wanted.of_key, "key's gradient");
    expect_near(got.of_value, wanted.of_value, "value's gradient");
  }
}

TEST_P(AttentionKernelTest, QueryWithoutVisibleKeysYieldsZerosAndNoGradient) {
  for (const Case& a : {Case{3, 5, 8, 0, false, true}, Case{6, 2, 8, 2, true, false}}) {
    const auto got = by_kernel(a), wanted = by_definition(a);
    expect_near(got.out, wanted.out, "out");
    expect_near(got.of_query, wanted.of_query, "query's gradient");
    expect_near(got.of_key, wanted.of_key, "key's gradient");
    EXPECT_EQ(got.out[0], 0);
    EXPECT_EQ(got.of_query[0], 0);
  }
}

TEST_P(AttentionKernelTest, NaNAndInfinityPropagate) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    const AttentionHead head{.T = 2, .S = 19, .d_k = 4, .visible = 19};
    for (const std::size_t key : {0, 15, 18}) {
      const auto query = formula_values(8), values = formula_values(76, 2);
      auto keys = formula_values(76, 1);
      keys[4 * key] = bad;
      std::vector<float> out(8), logs(2), scratch(static_cast<std::size_t>(attention_scratch(2, 19, 4)));
      kernels().attention(head, {query.data(), 4}, {keys.data(), 4}, {values.data(), 4}, {out.data(), 4}, logs.data(),
                          scratch.data());
      EXPECT_TRUE(std::isnan(out[0])) << bad << " in key " << key;
    }
  }
}

INSTANTIATE_INSTRUCTION_SETS(AttentionKernelTest);

}  // namespace
}  // namespace gloss::kernels
