#include "model/inference/top_tokens.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include "tensor/thread_count.h"
#include "tests/support/formula_tensor.h"

namespace gloss {
namespace {

constexpr std::int64_t kInputWidth = 20;

/// All logits, ranked by a stable sort.
void expect_ranked(const PackedLinear& generator, const at::Tensor& x, std::int64_t width) {
  const auto rows = x.size(0), V = generator.out();
  auto logits = at::empty({rows, V});
  const kernels::Rows in{x.const_data_ptr<float>(), kInputWidth};
  generator.apply(in, rows, {logits.mutable_data_ptr<float>(), V});
  const auto normalizers = logits.to(at::kDouble).logsumexp(-1);
  const auto all_logits = at::full({rows, V}, 7.0F);
  const auto top = top_tokens(generator, in, rows, width, {all_logits.mutable_data_ptr<float>(), V});
  EXPECT_TRUE(at::equal(all_logits, logits));
  EXPECT_EQ(top_tokens(generator, in, rows, width).log_normalizers, top.log_normalizers);
  ASSERT_EQ(top.width, width);
  ASSERT_EQ(std::ssize(top.ids), rows * width);
  ASSERT_EQ(std::ssize(top.logits), rows * width);
  ASSERT_EQ(std::ssize(top.log_normalizers), rows);
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto* const all = logits.const_data_ptr<float>() + row * V;
    std::vector<std::int32_t> order(static_cast<std::size_t>(V));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [all](std::int32_t a, std::int32_t b) { return all[a] > all[b]; });
    for (std::int64_t i = 0; i < width; ++i) {
      const auto id = order[static_cast<std::size_t>(i)];
      ASSERT_EQ(top.ids[static_cast<std::size_t>(row * width + i)], id) << "row " << row << ", place " << i;
      ASSERT_EQ(top.logits[static_cast<std::size_t>(row * width + i)], all[id]) << "row " << row << ", place " << i;
    }
    ASSERT_NEAR(top.log_normalizers[static_cast<std::size_t>(row)], normalizers[row].item<double>(), 2e-6) << row;
  }
}

/// Numbers of rows for which threads share the columns, and for which they share the rows.
void expect_ranked_everywhere(const PackedLinear& generator) {
  for (const int threads : {1, 3}) {
    const ThreadCount count(threads);
    for (const std::int64_t rows : {1, 7, 26}) {
      for (const std::int64_t width : {std::int64_t{1}, std::min<std::int64_t>(6, generator.out()), generator.out()}) {
        SCOPED_TRACE(std::to_string(threads) + " threads, " + std::to_string(rows) + " rows, width " +
                     std::to_string(width) + " of " + std::to_string(generator.out()));
        expect_ranked(generator, formula_tensor({rows, kInputWidth}, at::kCPU, 5), width);
      }
    }
  }
}

TEST(TopTokensTest, EqualTheFirstOfTheRankedLogits) {
  for (const std::int64_t V : {1, 20, 64, 500, 1300}) {
    expect_ranked_everywhere(
        PackedLinear(LinearWeights{formula_tensor({V, kInputWidth}, at::kCPU, 1), formula_tensor({V}, at::kCPU, 2)}));
  }
}

TEST(TopTokensTest, TiesAreOrderedById) {
  const std::int64_t V = 700;
  const auto few = formula_tensor({7, kInputWidth}, at::kCPU, 1), bias = formula_tensor({7}, at::kCPU, 2);
  // Every seventh id has the same weights, so each logit occurs a hundred times.
  expect_ranked_everywhere(PackedLinear(LinearWeights{few.repeat({V / 7, 1}), bias.repeat({V / 7})}));
  expect_ranked_everywhere(PackedLinear(LinearWeights{at::zeros({V, kInputWidth}), at::zeros({V})}));
}

/// A generator and lists of its tokens: one, two panels, all, ...
struct Listed {
  explicit Listed(kernels::Precision precision)
      : weight(in_precision(formula_tensor({kV, kInputWidth}, at::kCPU, 1), precision)),
        generator(LinearWeights{weight, formula_tensor({kV}, at::kCPU, 2)}, precision) {
    constexpr std::pair<Id, Id> kStrides[] = {{1, 0}, {kV, 77}, {3, 1}, {9, 2}, {2, 0}, {1, 800}, {1, 0}, {4, 1}};
    for (const auto& [step, first] : kStrides) {
      Ids ids;
      for (Id id = first; id < kV; id += step) ids.push_back(id);
      lists.push_back(std::make_shared<const ListedOutputs>(generator, weight.values, ids));
    }
  }
  static constexpr Id kV = 900;
  StoredWeight weight;
  PackedLinear generator;
  TokenLists lists;
};

TEST(TopTokensTest, ListedTokensAreThoseOfTheWholeVocabularyWithoutTheOthers) {
  for (const auto precision :
       {kernels::Precision::kFloat32, kernels::Precision::kBfloat16, kernels::Precision::kInt8}) {
    const Listed listed(precision);
    const auto sentences = std::ssize(listed.lists);
    for (const std::int64_t K : {1, 3}) {
      const auto rows = sentences * K, width = std::int64_t{120};  // more than some lists have
      const auto x = formula_tensor({rows, kInputWidth}, at::kCPU, 5);
      const kernels::Rows in{x.const_data_ptr<float>(), kInputWidth};
      auto all = at::empty({rows, Listed::kV}), kept = at::full({rows, Listed::kV}, 7.0F);
      const auto whole = top_tokens(listed.generator, in, rows, width, {all.mutable_data_ptr<float>(), Listed::kV});
      const auto top = top_tokens(listed.lists, in, rows, width, {kept.mutable_data_ptr<float>(), Listed::kV});
      EXPECT_EQ(top_tokens(listed.lists, in, rows, width).log_normalizers, top.log_normalizers);
      for (std::int64_t row = 0; row < rows; ++row) {
        const auto& ids = listed.lists[static_cast<std::size_t>(row / K)]->ids();
        auto expected = at::full({Listed::kV}, -std::numeric_limits<float>::infinity());
        const auto index = at::tensor(std::vector<std::int64_t>(ids.begin(), ids.end()));
        expected.index_copy_(0, index, all[row].index_select(0, index));
        ASSERT_TRUE(at::equal(kept[row], expected)) << row;
        const auto [logits, order] = expected.sort(/*stable=*/true, 0, /*descending=*/true);
        for (std::int64_t i = 0; i < width; ++i) {
          const auto at = static_cast<std::size_t>(row * width + i);
          ASSERT_EQ(top.ids[at], i < std::ssize(ids) ? order[i].item<Id>() : kPad) << row << ", place " << i;
          ASSERT_EQ(top.logits[at], logits[i].item<float>()) << row << ", place " << i;
        }
        const auto at = static_cast<std::size_t>(row);
        ASSERT_NEAR(top.log_normalizers[at], expected.to(at::kDouble).logsumexp(0).item<double>(), 2e-6) << row;
        if (ids.size() == Listed::kV) {
          ASSERT_EQ(top.log_normalizers[at], whole.log_normalizers[at]) << row;
        }
      }
    }
  }
}

TEST(TopTokensTest, BitsOfAListedRowDoNotDependOnThreadsOrOtherRowsAndLists) {
  const Listed listed(kernels::Precision::kInt8);
  constexpr std::int64_t kRows = 4, kWidth = 5;  // of a sentence
  const auto sentences = std::ssize(listed.lists);
  const auto x = formula_tensor({sentences * kRows, kInputWidth}, at::kCPU, 5);
  const auto search = [&](const TokenLists& lists, std::int64_t first) {
    return top_tokens(lists, {x.const_data_ptr<float>() + first * kRows * kInputWidth, kInputWidth},
                      std::ssize(lists) * kRows, kWidth);
  };
  const ThreadCount one(1);
  const auto expected = search(listed.lists, 0);
  for (const int threads : {1, 2, 3}) {
    const ThreadCount several(threads);
    EXPECT_EQ(search(listed.lists, 0).log_normalizers, expected.log_normalizers) << threads;
    for (std::int64_t b = 0; b < sentences; ++b) {
      const auto alone = search({listed.lists[static_cast<std::size_t>(b)]}, b);
      const auto is_part = [&](const auto& part, const auto& of) {
        return std::equal(part.begin(), part.end(), of.begin() + b * std::ssize(part));
      };
      EXPECT_TRUE(is_part(alone.log_normalizers, expected.log_normalizers)) << b;
      EXPECT_TRUE(is_part(alone.ids, expected.ids)) << b;
      EXPECT_TRUE(is_part(alone.logits, expected.logits)) << b;
    }
  }
}

TEST(TopTokensTest, BitsDoNotDependOnThreadsOrOtherRows) {
  const PackedLinear generator(
      LinearWeights{formula_tensor({3000, kInputWidth}, at::kCPU, 1), formula_tensor({3000}, at::kCPU, 2)});
  const auto x = formula_tensor({26, kInputWidth}, at::kCPU, 5);
  const auto* const data = x.const_data_ptr<float>();
  const ThreadCount one(1);
  const auto expected = top_tokens(generator, {data, kInputWidth}, 26, 4);
  for (const int threads : {1, 2, 3}) {
    const ThreadCount several(threads);
    EXPECT_EQ(top_tokens(generator, {data, kInputWidth}, 26, 4).log_normalizers, expected.log_normalizers) << threads;
    for (std::int64_t row = 0; row < 26; ++row) {
      const auto alone = top_tokens(generator, {data + row * kInputWidth, kInputWidth}, 1, 4);
      EXPECT_EQ(alone.log_normalizers[0], expected.log_normalizers[static_cast<std::size_t>(row)]) << row;
      EXPECT_TRUE(std::equal(alone.ids.begin(), alone.ids.end(), expected.ids.begin() + row * 4)) << row;
      EXPECT_TRUE(std::equal(alone.logits.begin(), alone.logits.end(), expected.logits.begin() + row * 4)) << row;
    }
  }
}

}  // namespace
}  // namespace gloss
