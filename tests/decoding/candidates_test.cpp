#include "decoding/candidates.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/random.h"
#include "tests/support/device_test.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

/// Returns row and id of every candidate.
std::vector<std::pair<std::int64_t, Id>> places(const std::vector<Candidate>& candidates) {
  std::vector<std::pair<std::int64_t, Id>> result;
  for (const auto& candidate : candidates) result.emplace_back(candidate.row, candidate.id);
  return result;
}

using Place = std::pair<std::int64_t, Id>;

/// A scorer of a single step.
class OneStep final : public Scorer {
 public:
  explicit OneStep(Step step) : step_(std::move(step)) {}
  std::unique_ptr<State> start(const PaddedIds&) const override { return std::make_unique<State>(); }
  Step step(State&, std::span<const Id>, const std::optional<AttentionSite>&) const override { return step_; }
  void select(State&, const std::vector<std::int64_t>&, const std::vector<std::int64_t>&) const override {}
  std::int64_t vocabulary_size() const override { return step_.logits.size(1); }
  std::int64_t max_target_length() const override { return 1; }
  at::Device device() const override { return step_.logits.device(); }

 private:
  Step step_;
};

class CandidatesTest : public DeviceTest {
 protected:
  /// Returns the candidates that a search makes from a step.
  static std::vector<std::vector<Candidate>> best(const Scorer::Step& step, const std::vector<double>& so_far,
                                                  std::int64_t sentences, std::int64_t count) {
    const OneStep scorer(step);
    const auto state = scorer.start({});
    const auto top = scorer.step_top(*state, {}, std::min(count, scorer.vocabulary_size()));
    return best_candidates(top, so_far, sentences, count);
  }

  /// A step of logits [rows, V] that are normalized already.
  Scorer::Step step(const std::vector<std::vector<float>>& rows) {
    std::vector<float> flat;
    for (const auto& row : rows) flat.insert(flat.end(), row.begin(), row.end());
    const auto logits = at::tensor(flat).view({std::ssize(rows), std::ssize(rows.front())}).to(device());
    return {logits, at::zeros({logits.size(0)}, logits.options()), {}};
  }
};

TEST_P(CandidatesTest, RanksAllRowsOfASentenceTogether) {
  const std::vector<double> so_far = {-1, -2};
  const auto result = best(step({{-3, -1, -5, -9}, {-1, -4, -0.5, -9}}), so_far, 1, 4);
  ASSERT_EQ(result.size(), 1u);
  EXPECT_THAT(places(result[0]), ElementsAre(Place{0, 1}, Place{1, 2}, Place{1, 0}, Place{0, 0}));
  EXPECT_DOUBLE_EQ(result[0][1].log_probability, -2.5);
  EXPECT_DOUBLE_EQ(result[0][1].token_log_probability, -0.5);
}

TEST_P(CandidatesTest, SentencesDoNotMix) {
  const std::vector<double> so_far = {0, 0, 0, 0};
  const auto result = best(step({{-9, -8}, {-7, -6}, {-1, -2}, {-3, -4}}), so_far, 2, 2);
  EXPECT_THAT(places(result[0]), ElementsAre(Place{1, 1}, Place{1, 0}));
  EXPECT_THAT(places(result[1]), ElementsAre(Place{0, 0}, Place{0, 1}));
}

TEST_P(CandidatesTest, NormalizerMakesLogProbabilities) {
  auto unnormalized = step({{1, 2, 3}, {11, 12, 13.5}});
  unnormalized.log_normalizer = unnormalized.logits.logsumexp(-1);
  const auto result = best(unnormalized, {-0.25, -0.25}, 1, 1);
  EXPECT_THAT(places(result[0]), ElementsAre(Place{1, 2}));
  EXPECT_NEAR(result[0][0].log_probability, -0.25 - std::log(1 + std::exp(-1.5) + std::exp(-2.5)), 1e-6);
}

TEST_P(CandidatesTest, TiesGoToTheLowerRowThenToTheLowerId) {
  const std::vector<float> equal(5000, -1.5f);
  const auto result = best(step({equal, equal, equal}), {-2, -1, -1}, 1, 6);
  EXPECT_THAT(places(result[0]),
              ElementsAre(Place{1, 0}, Place{1, 1}, Place{1, 2}, Place{1, 3}, Place{1, 4}, Place{1, 5}));
}

TEST_P(CandidatesTest, EqualsAFullSortHoweverManyTiesThereAre) {
  const RandomStream random(7, "ties");
  std::uint64_t drawn = 0;
  for (const std::int64_t V : {5, 60, 3000})
    for (const std::int64_t count : {1, 4, 10}) {
      std::vector<std::vector<float>> rows(3, std::vector<float>(V));
      for (auto& row : rows)
        for (auto& logit : row) logit = -1.f - static_cast<float>(random.below(3, drawn++));  // of three values
      for (Id id = 0; id < 5; ++id) rows[1][V - 1 - id] = -0.5f;
      const std::vector<double> so_far = {-1, -1, -2};
      std::vector<Candidate> wanted;
      for (std::int64_t k = 0; k < 3; ++k)
        for (Id id = 0; id < V; ++id) wanted.push_back({k, id, so_far[k] + rows[k][id]});
      std::ranges::stable_sort(wanted, std::greater{}, &Candidate::log_probability);
      const auto first = [count](const std::vector<Candidate>& all) {
        return places({all.begin(), all.begin() + count});
      };
      EXPECT_EQ(places(best(step(rows), so_far, 1, count)[0]), first(wanted)) << V << ", " << count;
    }
}

TEST_P(CandidatesTest, FewerCandidatesIfTheVocabularyIsSmall) {
  const auto result = best(step({{-2, -1}, {-4, -3}}), {0, 0}, 1, 50);
  EXPECT_THAT(places(result[0]), ElementsAre(Place{0, 1}, Place{0, 0}, Place{1, 1}, Place{1, 0}));
}

TEST_P(CandidatesTest, TokensWithoutProbabilityAreNotCandidates) {
  const auto never = static_cast<float>(kMinusInfinity);
  auto nothing_follows = step({{never, -1, never}, {-1, -1, -1}, {never, never, never}});
  nothing_follows.log_normalizer = nothing_follows.logits.logsumexp(-1);  // -inf for the last
  EXPECT_THAT(places(best(nothing_follows, {0, kMinusInfinity, 0}, 1, 6)[0]), ElementsAre(Place{0, 1}));
  EXPECT_THAT(best(nothing_follows, {kMinusInfinity, kMinusInfinity, 0}, 1, 6)[0], IsEmpty());
}

TEST_P(CandidatesTest, NaNIsRefused) {
  auto damaged = step({{-1, -1}});
  for (const double value : {std::nan(""), -kMinusInfinity}) {
    damaged.log_normalizer = at::full({1}, value, damaged.logits.options());
    EXPECT_THAT([&] { best(damaged, {0}, 1, 2); }, ThrowsMessage<ModelError>(HasSubstr("log-normalizer")));
  }
}

INSTANTIATE_DEVICES(CandidatesTest);

}  // namespace
}  // namespace gloss
