// Searches that stay on the device find what the host finds.
#include "decoding/search_ahead.h"

#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ATen/TensorOperators.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "decoding/scorers/ensemble_scorer.h"
#include "decoding/scorers/transformer_scorer.h"
#include "decoding/search.h"
#include "model/pass.h"
#include "tests/support/device_test.h"
#include "tests/support/small_model.h"

namespace gloss {
namespace {

constexpr std::int64_t kMaxLength = 24;

class SearchAheadTest : public DeviceTest {
 protected:
  /// With a probe the host decides.
  static std::shared_ptr<const Scorer> scorer_of(const EncoderDecoder& model, bool on_host) {
    return std::make_shared<TransformerScorer>(model, kMaxLength, false, on_host ? std::make_shared<Probe>() : nullptr);
  }

  static PaddedIds sources() {
    return pad(Rows{{5, 6, 7, 8, kEos}, {9, 10, kEos}, {11, kEos}, {12, 13, 14, 15, 16, 17, kEos}, {kEos}}, device());
  }

  static std::vector<std::vector<Hypothesis>> search(const Scorer& scorer, const DecodingConfig& config,
                                                     const SearchInputs& given = {}, const SearchHooks& hooks = {}) {
    if (config.beam_size > 1) return beam_search(scorer, sources(), config, given, hooks);
    std::vector<std::vector<Hypothesis>> result;
    for (auto& hypothesis : greedy_search(scorer, sources(), config, given, hooks)) result.push_back({hypothesis});
    return result;
  }

  static void expect_equal(const std::vector<std::vector<Hypothesis>>& found,
                           const std::vector<std::vector<Hypothesis>>& wanted) {
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t b = 0; b < found.size(); ++b) {
      ASSERT_EQ(found[b].size(), wanted[b].size());
      for (std::size_t i = 0; i < found[b].size(); ++i) {
        EXPECT_EQ(found[b][i].ids, wanted[b][i].ids);
        EXPECT_EQ(found[b][i].ended, wanted[b][i].ended);
        EXPECT_NEAR(found[b][i].score, wanted[b][i].score, 1e-4);
        EXPECT_THAT(found[b][i].token_log_probabilities,
                    testing::Pointwise(testing::DoubleNear(1e-4), wanted[b][i].token_log_probabilities));
      }
    }
  }

  EncoderDecoder model_ = small_model(device());
  std::shared_ptr<const Scorer> ahead_ = scorer_of(model_, false), host_ = scorer_of(model_, true);
};

TEST_P(SearchAheadTest, FindsWhatTheHostFinds) {
  ASSERT_NE(ahead_->on_device(), nullptr);
  ASSERT_EQ(host_->on_device(), nullptr);
  for (const auto& config : std::vector<DecodingConfig>{
           {.beam_size = 1},
           {.beam_size = 4, .n_best = 4},
           {.beam_size = 4, .patience = 3, .n_best = 2},
           {.beam_size = 3, .length_penalty = 0},
           {.beam_size = 10, .n_best = 10},  // as many candidates as pieces
           {.beam_size = 2, .max_length = 3},
           {.beam_size = 3, .max_length_factor = 1.5},
           {.beam_size = 1, .max_length = 9, .min_length = 7, .no_unk = true},
           {.beam_size = 4, .min_length = 6, .no_unk = true, .n_best = 3},
           {.beam_size = 4, .shrinking_beam = true},  // decided by the host
           {.beam_size = 4, .no_repeat_ngram = 2},
       }) {
    SCOPED_TRACE(to_text(to_json(config)));
    expect_equal(search(*ahead_, config), search(*host_, config));
  }
}

TEST_P(SearchAheadTest, BeginsAfterTheLongestPrefix) {
  const SearchInputs given{.prefixes = {{4, 5, 6}, {}, {7}, {8, kEos}, {9}}, .given_tokens = 1};
  for (const std::int64_t beam_size : {1, 4})
    expect_equal(search(*ahead_, {.beam_size = beam_size}, given), search(*host_, {.beam_size = beam_size}, given));
}

TEST_P(SearchAheadTest, AnEnsembleOfAModelWithItselfFindsTheSame) {
  const auto ensemble = make_ensemble({ahead_, ahead_});
  EXPECT_EQ(ensemble->on_device() == nullptr, device().is_cpu());
  for (const std::int64_t beam_size : {1, 3})
    expect_equal(search(*ensemble, {.beam_size = beam_size}), search(*host_, {.beam_size = beam_size}));
}

TEST_P(SearchAheadTest, EveryNetworkKeepsItsRows) {
  for (const auto& config : all_alternatives()) {
    SCOPED_TRACE(describe(config));
    const auto model = small_model(device(), config);
    expect_equal(search(*scorer_of(model, false), {.beam_size = 3}), search(*scorer_of(model, true), {.beam_size = 3}));
  }
}

TEST_P(SearchAheadTest, TellsOfTokensStepsAndSentencesAsTheHostDoes) {
  for (const std::int64_t beam_size : {1, 3}) {
    std::vector<std::string> told[2];
    std::int64_t steps[2] = {};
    for (const bool on_host : {false, true}) {
      std::vector<std::vector<Id>> tokens(5);
      SearchHooks hooks;
      hooks.before_step = [&] { ++steps[on_host]; };
      hooks.on_token = [&](std::int64_t sentence, Id token, double) { tokens[sentence].push_back(token); };
      hooks.on_found = [&](std::int64_t sentence, const auto& found) {
        EXPECT_EQ(tokens[sentence], found.front().ids);
        told[on_host].push_back(std::to_string(sentence));
      };
      search(on_host ? *host_ : *ahead_, {.beam_size = beam_size}, {}, hooks);
    }
    EXPECT_THAT(told[0], testing::UnorderedElementsAreArray(told[1]));
    EXPECT_GE(steps[0], steps[1]);
    EXPECT_LT(steps[0], steps[1] + kStepsAhead);
  }
}

TEST_P(SearchAheadTest, DropsWhatIsNotWanted) {
  std::vector<std::int64_t> asked(5), found;
  SearchHooks hooks;
  hooks.wanted = [&](std::int64_t sentence) { return ++asked[sentence] < 3 || sentence != 3; };
  hooks.on_found = [&](std::int64_t sentence, const auto&) { found.push_back(sentence); };
  const DecodingConfig config{.beam_size = 3, .min_length = 5};
  const auto rest = search(*ahead_, config, {}, hooks);
  EXPECT_EQ(asked[3], 3);
  EXPECT_THAT(found, testing::UnorderedElementsAre(0, 1, 2, 4));
  const auto wanted = search(*host_, config);
  for (const std::size_t b : {0, 1, 2, 4}) expect_equal({rest[b]}, {wanted[b]});
}

/// A scorer whose third and fourth step are not finite for one sentence.
class BreaksLater final : public Scorer, public DeviceScorer {
 public:
  BreaksLater(std::shared_ptr<const Scorer> scorer, std::int64_t sentence)
      : scorer_(std::move(scorer)), sentence_(sentence) {}

  std::unique_ptr<State> start(const PaddedIds& source) const override {
    sentences_ = std::ssize(source.lengths);
    return scorer_->start(source);
  }
  Step step(State& state, std::span<const Id> tokens, const std::optional<AttentionSite>& site) const override {
    return scorer_->step(state, tokens, site);
  }
  void select(State& state, const std::vector<std::int64_t>& sentences,
              const std::vector<std::int64_t>& parents) const override {
    scorer_->select(state, sentences, parents);
  }
  std::int64_t vocabulary_size() const override { return scorer_->vocabulary_size(); }
  std::int64_t max_target_length() const override { return scorer_->max_target_length(); }
  at::Device device() const override { return scorer_->device(); }
  const DeviceScorer* on_device() const override { return this; }
  Step step_on_device(State& state, const at::Tensor& tokens) const override {
    auto result = scorer_->on_device()->step_on_device(state, tokens);
    ++steps_;
    if (steps_ == 3 || steps_ == 4)
      result.log_normalizer.view({sentences_, -1}).select(0, sentence_).fill_(std::nan(""));
    return result;
  }
  void reorder(State& state, const at::Tensor& rows) const override { scorer_->on_device()->reorder(state, rows); }

 private:
  std::shared_ptr<const Scorer> scorer_;
  std::int64_t sentence_;
  mutable std::int64_t sentences_ = 0, steps_ = 0;
};

TEST_P(SearchAheadTest, StepsThatTheHostWouldNotRunMayFail) {
  for (const std::int64_t beam_size : {1, 3}) {
    const DecodingConfig config{.beam_size = beam_size, .min_length = 5};
    std::int64_t asked = 0;
    SearchHooks hooks;
    hooks.wanted = [&](std::int64_t sentence) { return sentence != 3 || ++asked < 2; };
    const auto rest = search(BreaksLater(ahead_, 3), config, {}, hooks), wanted = search(*host_, config);
    EXPECT_EQ(asked, 2);
    for (const std::size_t b : {0, 1, 2, 4}) expect_equal({rest[b]}, {wanted[b]});
    EXPECT_THROW(search(BreaksLater(ahead_, 3), config), ModelError) << "it is wanted";
  }
}

// Nothing goes to the device in a step, and the host waits once in kStepsAhead of them.
TEST_P(SearchAheadTest, WaitsOnceInSomeSteps) {
  if (device().type() != at::kPrivateUse1) GTEST_SKIP() << "the stand-in device counts";
  for (const std::int64_t beam_size : {1, 4}) {
    const auto counts_of = [&](std::int64_t length) {
      reset_stand_in_counts();
      search(*ahead_, {.beam_size = beam_size, .max_length = length, .min_length = length - 1});
      return stand_in_counts();
    };
    counts_of(kMaxLength);  // makes the table of positions
    const auto few = counts_of(2 * kStepsAhead), many = counts_of(5 * kStepsAhead);
    EXPECT_EQ(many.to_device, few.to_device);
    EXPECT_EQ(many.to_host, few.to_host + 3);
    EXPECT_EQ(many.synchronizations, few.synchronizations + 3);
    EXPECT_EQ(few.synchronizations, 2);
  }
}

TEST_P(SearchAheadTest, WaitsOnceInSomeStepsWhenSentencesEnd) {
  if (device().type() != at::kPrivateUse1) GTEST_SKIP() << "the stand-in device counts";
  model_->generator()->bias().data().select(0, kEos).fill_(-100);  // each sentence has its limit of tokens
  for (const std::int64_t beam_size : {1, 4}) {
    std::int64_t steps = 0;
    std::set<std::int64_t> ends;
    SearchHooks hooks;
    hooks.before_step = [&] { ++steps; };
    hooks.on_found = [&](std::int64_t, const auto&) { ends.insert(steps); };
    const DecodingConfig config{.beam_size = beam_size, .max_length_factor = 2};
    search(*ahead_, config);  // makes the table of positions
    reset_stand_in_counts();
    search(*ahead_, config, {}, hooks);
    EXPECT_THAT(ends, testing::ElementsAre(2, 4, 6, 10, 14));
    EXPECT_EQ(stand_in_counts().synchronizations, (steps + kStepsAhead - 1) / kStepsAhead);
    EXPECT_EQ(stand_in_counts().to_host, stand_in_counts().synchronizations);
  }
}

TEST_P(SearchAheadTest, WeightsThatAreNotFiniteAreAnError) {
  model_->generator()->bias().data().select(0, 7).fill_(std::numeric_limits<float>::quiet_NaN());
  EXPECT_THROW(search(*ahead_, {.beam_size = 1}), ModelError);
  EXPECT_THROW(search(*ahead_, {.beam_size = 3}), ModelError);
}

INSTANTIATE_DEVICES(SearchAheadTest);

}  // namespace
}  // namespace gloss
