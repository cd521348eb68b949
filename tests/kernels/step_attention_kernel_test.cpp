#include "kernels/step_attention_kernel.h"

#include <algorithm>
#include <limits>

#include "tests/kernels/kernel_test.h"

namespace gloss::kernels {
namespace {

struct Result {
  std::vector<float> out, weights;  // [heads * d_k] and [heads, count]
};

class StepAttentionKernelTest : public KernelTest {
 protected:
  struct Case {
    std::int64_t heads, d_k, count;
    std::int64_t width() const { return heads * d_k; }
    std::int64_t entry() const { return 2 * width() + 7; }  // gap, key, gap, value
    std::int64_t key() const { return 2; }
    std::int64_t value() const { return width() + 5; }
  };

  // Entries are in memory in another order than in the list, as those of selected hypotheses are.
  static std::vector<std::int64_t> positions(std::int64_t count) {
    std::vector<std::int64_t> result;
    for (std::int64_t e = 0; e < count; ++e) result.push_back((e * 7 + 3) % (count % 7 == 0 ? count + 1 : count));
    return result;
  }
  static std::vector<float> memory(const Case& input) {
    return formula_values(static_cast<std::size_t>((input.count + 1) * input.entry()), 1);
  }
  static std::vector<float> query(const Case& input, float size = 3) {
    return formula_values(static_cast<std::size_t>(input.width()), 0, size);
  }

  static Result by_kernel(const Case& input, const std::vector<float>& query, const std::vector<float>& memory) {
    std::vector<const float*> entries;
    for (const auto position : positions(input.count)) entries.push_back(memory.data() + position * input.entry());
    const auto row = step_attention_row(input.count);
    std::vector<float> out(static_cast<std::size_t>(input.width() + 16), 77.0F),
        weights(static_cast<std::size_t>(input.heads * row + 16), 77.0F);
    kernels().step_attention({query.data(), entries.data(), input.count, input.key(), input.value(), input.heads,
                              input.d_k, out.data(), weights.data()});
    EXPECT_EQ(std::count(out.end() - 16, out.end(), 77.0F), 16) << "written past the output";
    EXPECT_EQ(std::count(weights.end() - 16, weights.end(), 77.0F), 16) << "written past the weights";
    out.resize(static_cast<std::size_t>(input.width()));
    Result result{out, {}};
    for (std::int64_t h = 0; h < input.heads; ++h)
      result.weights.insert(result.weights.end(), weights.begin() + h * row, weights.begin() + h * row + input.count);
    return result;
  }

  static Result by_definition(const Case& input, const std::vector<float>& query, const std::vector<float>& memory) {
    Result result;
    const auto entries = positions(input.count);
    const auto at = [&](std::int64_t e, std::int64_t position) -> double {
      return memory[static_cast<std::size_t>(entries[static_cast<std::size_t>(e)] * input.entry() + position)];
    };
    for (std::int64_t h = 0; h < input.heads; ++h) {
      std::vector<double> weights;
      double sum = 0;
      for (std::int64_t e = 0; e < input.count; ++e) {
        double score = 0;
        for (auto j = h * input.d_k; j < (h + 1) * input.d_k; ++j)
          score += query[static_cast<std::size_t>(j)] * at(e, input.key() + j);
        sum += weights.emplace_back(std::exp(score / std::sqrt(static_cast<double>(input.d_k))));
      }
      for (auto& weight : weights) result.weights.push_back(static_cast<float>(weight /= sum));
      for (auto j = h * input.d_k; j < (h + 1) * input.d_k; ++j) {
        double value = 0;
        for (std::int64_t e = 0; e < input.count; ++e)
          value += weights[static_cast<std::size_t>(e)] * at(e, input.value() + j);
        result.out.push_back(static_cast<float>(value));
      }
    }
    return result;
  }
};

TEST_P(StepAttentionKernelTest, EqualsTheEquationInDoublePrecision) {
  for (const std::int64_t heads : {1, 3}) {
    for (const std::int64_t d_k : {1, 5, 32, 64, 80}) {
      for (std::int64_t count = 1; count <= 40; ++count) {
        for (const float size : {3.0F, 100.0F}) {  // the second yields scores whose exponential overflows
          const Case input{heads, d_k, count};
          const auto queries = query(input, size);
          const auto got = by_kernel(input, queries, memory(input)),
                     expected = by_definition(input, queries, memory(input));
          const auto trace = std::to_string(d_k) + " wide, " + std::to_string(count) + " entries, element ";
          ASSERT_EQ(got.weights.size(), expected.weights.size());
          for (std::size_t e = 0; e < expected.weights.size(); ++e)
            ASSERT_NEAR(got.weights[e], expected.weights[e], 2e-6 * size) << trace << e;
          for (std::size_t j = 0; j < expected.out.size(); ++j)
            ASSERT_NEAR(got.out[j], expected.out[j], 3e-6 * size) << trace << j;
        }
      }
    }
  }
}

TEST_P(StepAttentionKernelTest, ExtremeScoresHaveNoWeightAndDoNotOverflow) {
  const Case input{1, 1, 19};
  auto entries = memory(input);
  for (std::int64_t e = 0; e <= 19; ++e) entries[static_cast<std::size_t>(e * input.entry() + input.key())] = -3e4F;
  const auto chosen = positions(19)[17];
  entries[static_cast<std::size_t>(chosen * input.entry() + input.key())] = 3e4F;
  const auto got = by_kernel(input, {100.0F}, entries);
  EXPECT_EQ(got.weights[17], 1);
  EXPECT_EQ(std::ranges::count(got.weights, 0.0F), 18);
  EXPECT_EQ(got.out[0], entries[static_cast<std::size_t>(chosen * input.entry() + input.value())]);
}

TEST_P(StepAttentionKernelTest, NaNAndInfinityPropagateWithinTheirHead) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()}) {
    const Case input{2, 5, 18};
    for (const std::int64_t entry : {0, 15, 17}) {
      auto entries = memory(input);
      entries[static_cast<std::size_t>(positions(18)[static_cast<std::size_t>(entry)] * input.entry() + input.key() +
                                       5)] = bad;
      const auto got = by_kernel(input, query(input), entries);
      for (std::size_t j = 0; j < 10; ++j) ASSERT_EQ(std::isnan(got.out[j]), j >= 5) << bad << " in entry " << entry;
    }
  }
}

INSTANTIATE_INSTRUCTION_SETS(StepAttentionKernelTest);

}  // namespace
}  // namespace gloss::kernels
