#include "decoding/constraints.h"

#include <cmath>
#include <memory>

#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/decoding/fake_scorer.h"
#include "tests/support/device_test.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

/// A fake scorer that records the requested number of tokens a row; 0 stands for all logits.
class NotesWidths final : public Scorer {
 public:
  explicit NotesWidths(const FakeScorer& scorer) : scorer_(&scorer) {}
  std::unique_ptr<State> start(const PaddedIds& source) const override { return scorer_->start(source); }
  Step step(State& state, std::span<const Id> tokens, const std::optional<AttentionSite>& site) const override {
    widths_.push_back(0);
    return scorer_->step(state, tokens, site);
  }
  TopStep step_top(State& state, std::span<const Id> tokens, std::int64_t width,
                   const std::optional<AttentionSite>& site) const override {
    widths_.push_back(width);
    return scorer_->step_top(state, tokens, width, site);
  }
  void select(State& state, const std::vector<std::int64_t>& sentences,
              const std::vector<std::int64_t>& parents) const override {
    scorer_->select(state, sentences, parents);
  }
  std::int64_t vocabulary_size() const override { return scorer_->vocabulary_size(); }
  std::int64_t max_target_length() const override { return scorer_->max_target_length(); }
  at::Device device() const override { return scorer_->device(); }

  const std::vector<std::int64_t>& widths() const { return widths_; }

 private:
  const FakeScorer* scorer_;
  mutable std::vector<std::int64_t> widths_;
};

class ConstraintsTest : public DeviceTest {
 protected:
  Constraints constraints() const { return {config_, prefixes_}; }
  Ids banned(const Ids& generated, std::int64_t sentence = 0) const {
    return constraints().banned({sentence, std::ssize(generated), &generated});
  }

  /// Does the first step under constraints, as if the B rows had generated `generated`.
  Scorer::Step step(const Scorer& scorer, const std::vector<Ids>& generated) const {
    const auto state = scorer.start(sources(std::ssize(generated), device()));
    return constraints().step(scorer, *state, bos(std::ssize(generated)), rows_of(generated), std::nullopt);
  }
  TopTokens step_top(const Scorer& scorer, const std::vector<Ids>& generated, std::int64_t width) const {
    const auto state = scorer.start(sources(std::ssize(generated), device()));
    return constraints().step_top(scorer, *state, bos(std::ssize(generated)), rows_of(generated), width);
  }
  static Ids bos(std::int64_t B) { return Ids(static_cast<std::size_t>(B), kBos); }
  static std::vector<Constraints::Row> rows_of(const std::vector<Ids>& generated) {
    std::vector<Constraints::Row> rows;
    for (const auto& ids : generated) rows.push_back({std::ssize(rows), std::ssize(ids), &ids});
    return rows;
  }
  /// The logits of one step, the same for every row.
  FakeScorer saying(std::vector<float> logits) const {
    const auto V = std::ssize(logits);
    return {[logits = std::move(logits)](const Ids&, const Ids&) { return logits; }, V, device()};
  }

  DecodingConfig config_;
  std::vector<Ids> prefixes_;
};

TEST_P(ConstraintsTest, NothingIsBannedUnlessAskedFor) {
  EXPECT_THAT(banned({}), IsEmpty());
  EXPECT_THAT(banned({kA, kA, kA, kUnk, kUnk}), IsEmpty());
}

TEST_P(ConstraintsTest, EosIsBannedUntilMinLengthTokensAreGenerated) {
  config_.min_length = 2;
  EXPECT_THAT(banned({}), ElementsAre(kEos));
  EXPECT_THAT(banned({kA}), ElementsAre(kEos));
  EXPECT_THAT(banned({kA, kA}), IsEmpty());
}

TEST_P(ConstraintsTest, UnkIsBannedIfConfigured) {
  config_.no_unk = true;
  config_.min_length = 1;
  EXPECT_THAT(banned({}), ElementsAre(kUnk, kEos));
  EXPECT_THAT(banned({kA}), ElementsAre(kUnk));
}

TEST_P(ConstraintsTest, TokensThatWouldRepeatAnNgramAreBanned) {
  const auto banned_by = [&](std::int64_t n, const Ids& generated) {
    config_.no_repeat_ngram = n;
    return banned(generated);
  };
  const Ids generated = {kA, kB, kC, kA, kB};
  EXPECT_THAT(banned_by(1, generated), ElementsAre(kA, kB, kC));
  EXPECT_THAT(banned_by(2, generated), ElementsAre(kC));
  EXPECT_THAT(banned_by(3, generated), ElementsAre(kC));
  EXPECT_THAT(banned_by(4, generated), IsEmpty());
  EXPECT_THAT(banned_by(2, {kA, kB, kA, kC, kA}), ElementsAre(kB, kC));
  EXPECT_THAT(banned_by(3, {kA, kA, kA}), ElementsAre(kA)) << "n-grams may overlap";
  EXPECT_THAT(banned_by(4, {kA, kA, kA}), IsEmpty());
  for (const std::int64_t n : {1, 2, 100}) EXPECT_THAT(banned_by(n, {}), IsEmpty());
}

TEST_P(ConstraintsTest, InsideItsPrefixARowHasNoChoiceAndNoBan) {
  config_.no_unk = true;
  config_.min_length = 9;
  prefixes_ = {{kA, kUnk}, {}};
  const Ids nothing, one = {kA}, two = {kA, kUnk};
  EXPECT_EQ(constraints().forced({0, 0, &nothing}), kA);
  EXPECT_EQ(constraints().forced({0, 1, &one}), kUnk);
  EXPECT_EQ(constraints().forced({0, 2, &two}), std::nullopt);
  EXPECT_EQ(constraints().forced({1, 0, &nothing}), std::nullopt);
  EXPECT_THAT(banned(one), IsEmpty());
  EXPECT_THAT(banned(two), ElementsAre(kUnk, kEos));
  EXPECT_THAT(banned(nothing, 1), ElementsAre(kUnk, kEos));
}

TEST_P(ConstraintsTest, GivenTokensOfAPrefixHaveTheProbabilityOne) {
  prefixes_ = {{kA, kB}, {kA, kB}, {kC}};
  const auto scorer = saying({1, 9, 2, 5, 3, 4, 6});
  const auto state = scorer.start(sources(3, device()));
  const std::vector<Ids> generated = {{}, {kA}, {}};
  const auto top = Constraints(config_, prefixes_, 1).step_top(scorer, *state, bos(3), rows_of(generated), /*width=*/1);
  EXPECT_THAT(top.ids, ElementsAre(kA, kB, kC));
  EXPECT_EQ(top.log_normalizers[0], 3) << "the logit of A";
  EXPECT_GT(top.log_normalizers[1], 9) << "B is forced, not given";
  EXPECT_EQ(top.log_normalizers[2], 6);
}

TEST_P(ConstraintsTest, ABanChangesNoProbabilityOfWhatIsLeft) {
  config_.no_unk = true;
  const auto scorer = saying({1, 9, 2, 5});
  const auto top = step_top(scorer, {{}}, 2);
  EXPECT_EQ(top.width, 2);
  EXPECT_THAT(top.ids, ElementsAre(3, 2));
  EXPECT_THAT(top.logits, ElementsAre(5, 2));
  EXPECT_NEAR(top.log_normalizers[0], std::log(std::exp(1.) + std::exp(9.) + std::exp(2.) + std::exp(5.)), 1e-5);
}

TEST_P(ConstraintsTest, TheScorerComputesOnlyTheNeededTokens) {
  const FakeScorer fake(random_rule(30), 30, device());
  const NotesWidths scorer(fake);
  const std::vector<Ids> generated = {{}, {4, 5, 4}, {4, 5, 6, 4, 7, 4}};
  step_top(scorer, generated, 3);
  config_.no_repeat_ngram = 2;  // 0, 1 and 2 bans
  step_top(scorer, generated, 3);
  step_top(scorer, generated, 29);
  prefixes_ = {{}, {4, 5, 4}, {4}};
  step_top(scorer, generated, 3);
  prefixes_[0] = {9};
  step_top(scorer, generated, 3);
  prefixes_ = {};
  config_.repetition_penalty = 1.5;
  step_top(scorer, generated, 3);
  EXPECT_THAT(scorer.widths(), ElementsAre(3, 5, 30, 5, 0, 0));
}

TEST_P(ConstraintsTest, TheBestOfAStepAreThoseOfAllItsLogits) {
  const FakeScorer scorer(random_rule(30), 30, device());
  const std::vector<Ids> generated = {{}, {4, 5, 4}, {4, 5, 6, 4, 7, 4, 8, 4}, {9, 9, 9, 9}};
  config_ = {.min_length = 4, .no_repeat_ngram = 2, .no_unk = true};
  for (const std::int64_t width : {1, 4, 27, 30}) {
    const auto some = step_top(scorer, generated, width);
    const auto all = top_tokens_of(step(scorer, generated), width);
    EXPECT_EQ(some.logits, all.logits) << width;
    EXPECT_EQ(some.log_normalizers, all.log_normalizers);
    for (std::size_t i = 0; i < all.ids.size(); ++i) {
      if (std::isfinite(all.logits[i])) {
        EXPECT_EQ(some.ids[i], all.ids[i]) << width;
      }
    }
  }
}

// Keskar et al. 2019: softmax over logits / theta for earlier tokens. A negative logit is multiplied, since division
// would make it likelier.
TEST_P(ConstraintsTest, RepetitionPenaltyMakesEarlierTokensLessLikelyBeforeNormalizing) {
  config_.repetition_penalty = 2;
  const auto scorer = saying({-1, 0, 1, 2, 3, -4, 5});
  const auto result = step(scorer, {{}, {4, 5, 4}});
  const auto wanted = at::tensor({-1.f, 0.f, 1.f, 2.f, 3.f, -4.f, 5.f,  //
                                  -1.f, 0.f, 1.f, 2.f, 1.5f, -8.f, 5.f})
                          .view({2, 7})
                          .to(device());
  EXPECT_THAT(result.logits, AllClose(wanted, 0));
  EXPECT_THAT(result.log_normalizer, AllClose(wanted.logsumexp(-1), 1e-6));
  EXPECT_THAT(step_top(scorer, {{}, {6}}, 1).ids, ElementsAre(6, 4));
}

TEST_P(ConstraintsTest, OnlyThePrefixMayFollowWithTheProbabilityThatItHas) {
  prefixes_ = {{2}, {}};
  const auto scorer = saying({1, 9, 2, 5});
  const auto top = step_top(scorer, {{}, {}}, 2);
  EXPECT_THAT(top.ids, ElementsAre(2, testing::_, 1, 3));
  EXPECT_THAT(top.logits, ElementsAre(2, -INFINITY, 9, 5));
  EXPECT_EQ(top.log_normalizers[0], top.log_normalizers[1]);
}

TEST_P(ConstraintsTest, APrefixOfAnotherVocabularyIsRefused) {
  for (const Id id : {4, -1}) {
    prefixes_ = {{id}};
    EXPECT_THAT([&] { step_top(saying({1, 9, 2, 5}), {{}}, 2); }, ThrowsMessage<UsageError>(HasSubstr("prefix")));
  }
}

TEST_P(ConstraintsTest, RowsThatFillABatchUpAreLeftAlone) {
  config_ = {.min_length = 4, .repetition_penalty = 2, .no_unk = true};
  prefixes_ = {{2}};
  const auto scorer = saying({1, 9, 2, 5});
  const auto state = scorer.start(sources(1, device()));
  const std::vector<Constraints::Row> rows = {{0}};
  EXPECT_THAT(constraints().step_top(scorer, *state, bos(1), rows, 2).ids, ElementsAre(1, 3));
}

INSTANTIATE_DEVICES(ConstraintsTest);

}  // namespace
}  // namespace gloss
