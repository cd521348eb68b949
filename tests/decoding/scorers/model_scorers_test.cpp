// The scorers of an EncoderDecoder: they must agree.
#include <algorithm>
#include <future>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "decoding/scorers/inference_scorer.h"
#include "decoding/scorers/plain_scorer.h"
#include "decoding/scorers/transformer_scorer.h"
#include "decoding/search.h"
#include "tests/support/device_test.h"
#include "tests/support/small_model.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

using testing::SizeIs;

/// `B` sentences of 1 to 9 pieces and eos, over the 20 pieces of small_model.
Rows some_sources(std::size_t B) {
  const RandomStream random(3, "sources");
  std::uint64_t drawn = 0;
  Rows result(B);
  for (auto& row : result) {
    row.resize(1 + random.below(9, drawn++));
    for (auto& id : row) id = static_cast<Id>(4 + random.below(16, drawn++));
    row.push_back(kEos);
  }
  return result;
}

at::Tensor log_probabilities(const Scorer::Step& step) { return step.logits - step.log_normalizer.unsqueeze(-1); }

/// "cpu" and "cuda" are a TransformerScorer there; "packed" is an InferenceScorer, "plain" a PlainScorer.
class ModelScorersTest : public DeviceTest {
 protected:
  static bool is_packed() { return GetParam() == "packed"; }
  static bool is_plain() { return GetParam() == "plain"; }
  static at::Device device() { return is_packed() || is_plain() ? at::Device(at::kCPU) : DeviceTest::device(); }
  static std::unique_ptr<const Scorer> make(const EncoderDecoder& model) {
    if (is_packed()) return std::make_unique<InferenceScorer>(model, small_config(), 12);
    if (is_plain()) return std::make_unique<PlainScorer>(model, 12);
    return std::make_unique<TransformerScorer>(model, 12);
  }

  EncoderDecoder model_ = small_model(device());
  std::unique_ptr<const Scorer> made_ = make(model_);
  const Scorer& scorer_ = *made_;

  /// Returns the log-probabilities [rows, V] after each prefix, computed by the whole model.
  at::Tensor log_probabilities_after(const Rows& sources, const Rows& prefixes) {
    const at::NoGradGuard no_grad;
    const auto target = pad(prefixes, device());
    const auto x = model_->forward(pad(sources, device()), target, Pass{});  // [rows, T, D]
    std::vector<at::Tensor> last;
    for (std::size_t row = 0; row < prefixes.size(); ++row) last.push_back(x[row][target.lengths[row] - 1]);
    return model_->generator()->forward(at::stack(last));
  }

  /// Returns the log-probability of ids and, if it ended, eos by the whole model at once (teacher forcing).
  double forced_log_probability(const std::vector<std::int32_t>& source, const Hypothesis& hypothesis) {
    const at::NoGradGuard no_grad;
    auto generated = hypothesis.ids;
    if (hypothesis.ended) generated.push_back(kEos);
    const auto target = shift_target(Rows{generated}, device());
    const auto all = model_->generator()->forward(model_->forward(pad(Rows{source}, device()), target.input, Pass{}));
    return all.gather(-1, target.labels.unsqueeze(-1)).sum(at::kDouble).item<double>();
  }

  std::vector<std::vector<Hypothesis>> beams(const Rows& sources, std::int64_t beam_size = 4) {
    const DecodingConfig config{.beam_size = beam_size, .n_best = beam_size};
    return beam_search(scorer_, pad(sources, device()), config);
  }
};

void expect_equal(const std::vector<Hypothesis>& found, const std::vector<Hypothesis>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].ids, wanted[i].ids);
    EXPECT_NEAR(found[i].score, wanted[i].score, 1e-5);
  }
}

TEST_P(ModelScorersTest, StepsEqualTheWholeForwardWhateverIsSelected) {
  const Rows source = small_sources();
  const auto state = scorer_.start(pad(source, device()));
  auto step = scorer_.step(*state, Ids{kBos, kBos, kBos}, std::nullopt);
  EXPECT_THAT(log_probabilities(step), AllClose(log_probabilities_after(source, {{kBos}, {kBos}, {kBos}}), 1e-5));

  scorer_.select(*state, {2, 0}, {0, 0, 0, 0});  // the second is dropped, two rows a sentence
  step = scorer_.step(*state, Ids{5, 6, 7, 8}, std::nullopt);
  EXPECT_THAT(log_probabilities(step), AllClose(log_probabilities_after({source[2], source[2], source[0], source[0]},
                                                                        {{kBos, 5}, {kBos, 6}, {kBos, 7}, {kBos, 8}}),
                                                1e-5));

  scorer_.select(*state, {1, 0}, {1, 1, 0, 1, 0, 1});  // reordered, three rows a sentence
  step = scorer_.step(*state, Ids{9, 10, 11, 12, 13, 14}, std::nullopt);
  EXPECT_THAT(log_probabilities(step),
              AllClose(log_probabilities_after(
                           {source[0], source[0], source[0], source[2], source[2], source[2]},
                           {{kBos, 8, 9}, {kBos, 8, 10}, {kBos, 7, 11}, {kBos, 6, 12}, {kBos, 5, 13}, {kBos, 6, 14}}),
                       1e-5));
}

TEST_P(ModelScorersTest, ScoresOfHypothesesEqualTeacherForcing) {
  const auto source = some_sources(12);
  const auto found = beams(source);
  for (std::size_t b = 0; b < source.size(); ++b) {
    ASSERT_THAT(found[b], SizeIs(4));
    for (const auto& hypothesis : found[b])
      EXPECT_NEAR(hypothesis.log_probability, forced_log_probability(source[b], hypothesis), 1e-4);
  }
}

TEST_P(ModelScorersTest, BeamOfOneEqualsGreedy) {
  const auto source = pad(some_sources(12), device());
  const DecodingConfig config{.beam_size = 1};
  const auto greedy = greedy_search(scorer_, source, config);
  const auto beam = beam_search(scorer_, source, config);
  for (std::size_t b = 0; b < greedy.size(); ++b) expect_equal(beam[b], {greedy[b]});
}

// A search that continues finds the earlier results, and more.
TEST_P(ModelScorersTest, MorePatienceTakesMoreStepsForBetterTranslations) {
  std::int64_t steps = 0;
  const auto source = some_sources(12);
  const auto scores = [&](double patience) {
    steps = 0;
    const DecodingConfig config{.beam_size = 4, .patience = patience};
    std::vector<double> result;
    for (const auto& sentence : source) {
      const auto found =
          beam_search(scorer_, pad(Rows{sentence}, device()), config, {}, {.before_step = [&] { ++steps; }});
      result.push_back(found[0].at(0).score);
    }
    return result;
  };
  const auto hasty = scores(0.25);
  const auto hasty_steps = steps;
  const auto usual = scores(1);
  const auto usual_steps = steps;
  const auto patient = scores(4);
  EXPECT_LT(hasty_steps, usual_steps);
  EXPECT_LT(usual_steps, steps);
  for (std::size_t b = 0; b < source.size(); ++b) {
    EXPECT_LE(hasty[b], usual[b] + 1e-5);
    EXPECT_LE(usual[b], patient[b] + 1e-5);
  }
  const auto sum = [](const std::vector<double>& all) { return std::accumulate(all.begin(), all.end(), 0.0); };
  EXPECT_LT(sum(hasty), sum(usual) - 0.01);
  EXPECT_LT(sum(usual), sum(patient) - 0.01);
}

TEST_P(ModelScorersTest, SentencesSearchedTogetherAreAsEachAlone) {
  const auto source = some_sources(12);
  const auto together = beams(source);
  for (std::size_t b = 0; b < source.size(); ++b) expect_equal(together[b], beams({source[b]})[0]);
}

TEST_P(ModelScorersTest, OrderOfSentencesChangesNothing) {
  auto source = some_sources(12);
  const auto forwards = beams(source);
  std::ranges::reverse(source);
  auto backwards = beams(source);
  std::ranges::reverse(backwards);
  for (std::size_t b = 0; b < source.size(); ++b) expect_equal(backwards[b], forwards[b]);
}

/// Keeps the weights of one site.
struct OneSite final : Probe {
  explicit OneSite(std::string_view wanted) : site(wanted) {}
  void attention(std::string_view at, at::Tensor& seen, const at::Tensor&) override {
    if (at == site) weights = seen;
  }
  std::string_view site;
  at::Tensor weights;  // [B, H, T, S]
};

TEST_P(ModelScorersTest, AttentionIsTheLastLayersMeanOverTheHeads) {
  const Rows source = {{5, 6, 7, 8, kEos}, {9, 10, kEos}};
  const auto state = scorer_.start(pad(source, device()));
  EXPECT_FALSE(scorer_.step(*state, Ids{kBos, kBos}, std::nullopt).attention.defined());
  scorer_.select(*state, {0, 1}, {0, 0, 0, 0});
  const auto attention = scorer_.step(*state, Ids{5, 6, 7, 8}, AttentionSite{}).attention;

  OneSite probe("decoder.layers.1.cross_attention");
  Pass pass;
  pass.probe = &probe;
  const at::NoGradGuard no_grad;
  const Rows sources = {source[0], source[0], source[1], source[1]},
             targets = {{kBos, 5}, {kBos, 6}, {kBos, 7}, {kBos, 8}};
  model_->forward(pad(sources, device()), pad(targets, device()), pass);
  EXPECT_THAT(attention, AllClose(probe.weights.select(2, 1).mean(1), 1e-5));  // [B * K, S]
  EXPECT_THAT(attention.slice(0, 2).slice(1, 3), AllClose(at::zeros({2, 2}, attention.options()), 0));
}

TEST_P(ModelScorersTest, ThreadsShareOneAndEachFindsWhatItWouldAlone) {
  const auto source = pad(some_sources(12), device());
  const DecodingConfig config{.beam_size = 4, .n_best = 4};
  const auto wanted = beam_search(scorer_, source, config);
  const auto shared = make(small_model(device()));  // with no table of positions yet
  const auto search = [&] { return beam_search(*shared, source, config); };
  for (int round = 0; round < 3; ++round) {
    std::vector<std::future<std::vector<std::vector<Hypothesis>>>> threads;
    for (int i = 0; i < 2; ++i) threads.push_back(std::async(std::launch::async, search));
    for (auto& thread : threads) {
      const auto found = thread.get();
      for (std::size_t b = 0; b < wanted.size(); ++b) expect_equal(found[b], wanted[b]);
    }
  }
}

TEST_P(ModelScorersTest, TheLikeliestTokensAreThoseOfTheStep) {
  const auto source = pad(small_sources(), device());
  const auto state = scorer_.start(source), other = scorer_.start(source);
  for (const std::int64_t width : {1, 3, 20}) {
    const auto tokens = Ids{5, 6, 7};
    const auto step = scorer_.step(*state, tokens, AttentionSite{});
    const auto top = scorer_.step_top(*other, tokens, width, AttentionSite{});
    EXPECT_THAT(top.attention, SameAs(step.attention));
    const auto [logits, ids] = step.logits.cpu().topk(width, -1);
    ASSERT_EQ(top.width, width);
    for (std::int64_t row = 0; row < 3; ++row) {
      for (std::int64_t i = 0; i < width; ++i) {
        const auto place = static_cast<std::size_t>(row * width + i);
        EXPECT_EQ(top.ids[place], ids[row][i].item<std::int64_t>());
        EXPECT_EQ(top.logits[place], logits[row][i].item<float>());
      }
      EXPECT_NEAR(top.log_normalizers[static_cast<std::size_t>(row)], step.log_normalizer[row].item<double>(), 1e-5);
    }
  }
}

TEST_P(ModelScorersTest, MismatchedInputsAreRefused) {
  const auto state = scorer_.start(pad(small_sources(), device()));
  EXPECT_THROW(scorer_.step(*state, Ids{kBos, kBos}, std::nullopt), ShapeError);
  scorer_.step(*state, Ids{kBos, kBos, kBos}, std::nullopt);
  EXPECT_THROW(scorer_.select(*state, {3}, {0}), ShapeError);
  EXPECT_THROW(scorer_.select(*state, {0}, {1}), ShapeError);
  EXPECT_THROW(scorer_.select(*state, {0, 1}, {0, 0, 0}), ShapeError);
}

TEST_P(ModelScorersTest, AttentionKeepsItsWidthWhereTheLongestSentenceIsDone) {
  const auto state = scorer_.start(pad(small_sources(), device()));
  scorer_.select(*state, {2}, {0});
  const auto attention = scorer_.step(*state, Ids{kBos}, AttentionSite{}).attention;
  EXPECT_EQ(attention.sizes(), (at::IntArrayRef{1, 5}));
}

TEST_P(ModelScorersTest, ReportsTheModelsProperties) {
  EXPECT_EQ(scorer_.vocabulary_size(), 20);
  EXPECT_EQ(scorer_.max_target_length(), 12);
  EXPECT_EQ(scorer_.device(), device());
}

TEST_P(ModelScorersTest, NoGraphIsBuilt) {
  const auto state = scorer_.start(pad(small_sources(), device()));
  const auto step = scorer_.step(*state, Ids{kBos, kBos, kBos}, std::nullopt);
  EXPECT_FALSE(step.logits.requires_grad());
  EXPECT_TRUE(model_->generator()->bias().requires_grad());
}

INSTANTIATE_TEST_SUITE_P(Scorers, ModelScorersTest, ::testing::Values("cpu", "gpu", "packed", "plain"),
                         [](const auto& scorer) { return scorer.param; });

}  // namespace
}  // namespace gloss
