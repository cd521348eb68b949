#include "decoding/scorers/ensemble_scorer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "decoding/forced_scores.h"
#include "decoding/scorers/make_scorer.h"
#include "decoding/search.h"
#include "tests/decoding/collected_search.h"
#include "tests/decoding/fake_scorer.h"
#include "tests/support/device_test.h"
#include "tests/support/small_model.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

using Members = std::vector<std::shared_ptr<const Scorer>>;

/// Returns pseudo-random logits, other ones for each `number`.
FakeScorer::Rule numbered_rule(std::int64_t vocabulary, Id number) {
  return [rule = random_rule(vocabulary), number](Ids source, const Ids& generated) {
    source.push_back(1000 + number);
    return rule(source, generated);
  };
}

/// Returns the expected scores of an ensemble of these rules, computed in the plainest way.
FakeScorer::Rule mean_of(std::vector<FakeScorer::Rule> rules) {
  return [rules = std::move(rules)](const Ids& source, const Ids& generated) {
    std::vector<double> mean;
    for (const auto& rule : rules) {
      const auto logits = rule(source, generated);
      double sum = 0;
      for (const auto logit : logits) sum += std::exp(static_cast<double>(logit));
      mean.resize(logits.size());
      for (std::size_t id = 0; id < logits.size(); ++id)
        mean[id] += std::exp(static_cast<double>(logits[id])) / sum / static_cast<double>(rules.size());
    }
    std::vector<float> logits;
    for (const auto probability : mean) logits.push_back(static_cast<float>(std::log(probability)));
    return logits;
  };
}

void expect_near(const std::vector<std::vector<Hypothesis>>& found, const std::vector<std::vector<Hypothesis>>& wanted,
                 double tolerance) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t b = 0; b < wanted.size(); ++b) {
    ASSERT_EQ(ids_of(found[b]), ids_of(wanted[b])) << b;
    for (std::size_t k = 0; k < wanted[b].size(); ++k)
      EXPECT_NEAR(found[b][k].log_probability, wanted[b][k].log_probability, tolerance) << b;
  }
}

Ids bos(std::size_t B) { return Ids(B, kBos); }

class EnsembleScorerTest : public DeviceTest {
 protected:
  static std::shared_ptr<const Scorer> fake(FakeScorer::Rule rule, std::int64_t vocabulary = kWords,
                                            FakeScorer::Options options = {}) {
    return std::make_shared<FakeScorer>(std::move(rule), vocabulary, device(), std::move(options));
  }
  static std::shared_ptr<const Scorer> member(const std::map<Id, double>& probabilities) {
    return fake(table({{{}, probabilities}}, kWords));
  }
};

// The mean of logarithms, or the product, would choose B; the second member alone C.
TEST_P(EnsembleScorerTest, ReturnsTheMeanOfProbabilities) {
  const EnsembleScorer ensemble({member({{kA, 0.9}, {kB, 0.1}}), member({{kA, 0.01}, {kB, 0.29}, {kC, 0.7}})});
  const auto state = ensemble.start(sources(1, device()));
  const auto step = ensemble.step(*state, bos(1), std::nullopt);
  const auto probabilities = (step.logits - step.log_normalizer.unsqueeze(-1)).exp();
  EXPECT_THAT(probabilities.cpu(), AllClose(at::tensor({0., 0., 0., 0., 0.455, 0.195, 0.35}).view({1, -1}), 1e-6));
  EXPECT_EQ(step.log_normalizer.item<double>(), 0);
  EXPECT_FALSE(step.attention.defined());
  const auto found = greedy_search(ensemble, sources(1, device()), {.beam_size = 1});
  EXPECT_THAT(found[0].ids, ElementsAre(kA));
  EXPECT_NEAR(found[0].log_probability, std::log(0.455), 1e-6);
}

TEST_P(EnsembleScorerTest, AMemberNamedTwiceCountsTwice) {
  const auto often = member({{kA, 0.1}, {kB, 0.9}}), once = member({{kA, 1}});
  const EnsembleScorer ensemble({often, once, often});
  const auto found = greedy_search(ensemble, sources(1, device()), {.beam_size = 1});
  EXPECT_NEAR(found[0].log_probability, std::log(0.6), 1e-6);
}

TEST_P(EnsembleScorerTest, EqualMembersGiveTheScoresOfOne) {
  const auto alone = fake(random_rule(300), 300);
  const EnsembleScorer ensemble({alone, alone});
  const DecodingConfig config{.beam_size = 4, .max_length = 9, .n_best = 4};
  const auto source = sources(6, device());
  expect_near(beam_search(ensemble, source, config), beam_search(*alone, source, config), 1e-5);
  EXPECT_EQ(make_ensemble({alone}), alone);
}

TEST_P(EnsembleScorerTest, EachMembersRowsAreReorderedWidenedAndDropped) {
  const std::vector<FakeScorer::Rule> rules = {numbered_rule(30, 1), numbered_rule(30, 2), numbered_rule(30, 3)};
  Members members;
  for (const auto& rule : rules) members.push_back(fake(rule, 30));
  const EnsembleScorer ensemble(members);
  const auto plain = fake(mean_of(rules), 30);
  const auto source = sources(7, device());
  for (const std::int64_t beam : {1, 4}) {
    const DecodingConfig config{.beam_size = beam, .max_length = 12, .no_repeat_ngram = 2, .n_best = beam};
    expect_near(beam_search(ensemble, source, config), beam_search(*plain, source, config), 1e-5);
    const DecodingConfig penalized{
        .beam_size = beam, .max_length = 12, .repetition_penalty = 1.5, .no_unk = true, .n_best = beam};
    expect_near(beam_search(ensemble, source, penalized), beam_search(*plain, source, penalized), 1e-4);
  }
}

// Logits that are equal, that differ by less than the bounds of a mean, and that are -inf.
TEST_P(EnsembleScorerTest, AllStepsHaveTheSameBits) {
  constexpr std::int64_t kV = 200;
  const auto rough = [](Id number) {
    return [rule = numbered_rule(kV, number), number](const Ids& source, const Ids& generated) {
      auto logits = rule(source, generated);
      for (std::size_t id = 0; id < logits.size(); ++id) {
        if (id % 5 == 0) logits[id] = 3;
        if (id % 7 == static_cast<std::size_t>(number)) logits[id] = -std::numeric_limits<float>::infinity();
      }
      return logits;
    };
  };
  const EnsembleScorer ensemble({fake(rough(1), kV), fake(rough(2), kV), fake(rough(1), kV)});
  const auto source = sources(5, device());
  const auto step = ensemble.step(*ensemble.start(source), bos(5), std::nullopt);
  const auto wanted = step.logits.cpu().contiguous();
  for (const std::int64_t width : {1L, 10L, 50L, kV}) {
    const auto top = ensemble.step_top(*ensemble.start(source), bos(5), width, std::nullopt);
    const auto all = top_tokens_of(step, width);
    EXPECT_EQ(top.ids, all.ids) << width;
    EXPECT_EQ(top.logits, all.logits) << width;
    EXPECT_EQ(top.log_normalizers, all.log_normalizers) << width;
  }
  for (const Id next : {4, 5, 8, 9}) {
    const auto forced = ensemble.step_forced(*ensemble.start(source), bos(5), std::vector<Id>(5, next));
    for (std::size_t row = 0; row < 5; ++row) {
      EXPECT_EQ(forced.logits[row], wanted[static_cast<std::int64_t>(row)][next].item<float>()) << next;
      EXPECT_EQ(forced.log_normalizers[row], 0);
    }
  }
}

/// A scorer without attention.
class WithoutAttention final : public Scorer {
 public:
  explicit WithoutAttention(std::shared_ptr<const Scorer> inner) : inner_(std::move(inner)) {}
  std::unique_ptr<State> start(const PaddedIds& source) const override { return inner_->start(source); }
  Step step(State& state, std::span<const Id> tokens, const std::optional<AttentionSite>&) const override {
    return inner_->step(state, tokens, std::nullopt);
  }
  void select(State& state, const std::vector<std::int64_t>& sentences,
              const std::vector<std::int64_t>& parents) const override {
    inner_->select(state, sentences, parents);
  }
  std::int64_t vocabulary_size() const override { return inner_->vocabulary_size(); }
  std::int64_t max_target_length() const override { return inner_->max_target_length(); }
  at::Device device() const override { return inner_->device(); }

 private:
  std::shared_ptr<const Scorer> inner_;
};

TEST_P(EnsembleScorerTest, AttentionIsTheMeanIfAllMembersHaveIt) {
  const auto looking = [](std::vector<float> weights) {
    return fake(random_rule(kWords), kWords, {.attention = [weights](const Ids&, const Ids&) { return weights; }});
  };
  const auto first = looking({0.75, 0.25}), second = looking({0.25, 0.75}), third = looking({0.5, 0.5});
  const auto attention = [](const Members& members) {
    const EnsembleScorer ensemble(members);
    return ensemble.step(*ensemble.start(sources(2, device())), bos(2), AttentionSite{}).attention;
  };
  EXPECT_THAT(attention({first, first, second}).cpu(),
              AllClose(at::tensor({7. / 12, 5. / 12, 7. / 12, 5. / 12}).view({2, 2}), 1e-6));
  EXPECT_FALSE(attention({first, std::make_shared<WithoutAttention>(third)}).defined());
  EXPECT_FALSE(attention({std::make_shared<WithoutAttention>(third), first}).defined());
}

TEST_P(EnsembleScorerTest, LimitsAreTheLeastAndVocabulariesMustBeEqual) {
  const auto long_one = fake(random_rule(kWords), kWords, {.max_target_length = 9}),
             short_one = fake(random_rule(kWords), kWords, {.max_target_length = 5});
  for (const auto& members : {Members{long_one, short_one}, Members{short_one, long_one}}) {
    const EnsembleScorer ensemble(members);
    EXPECT_EQ(ensemble.max_target_length(), 5);
    EXPECT_EQ(ensemble.vocabulary_size(), kWords);
    EXPECT_EQ(ensemble.device(), device());
  }
  EXPECT_THAT(
      [&] {
        EnsembleScorer({long_one, fake(random_rule(9), 9)});
      },
      ThrowsMessage<UsageError>(HasSubstr("got 7 and 9 tokens")));
  EXPECT_THAT([&] { make_ensemble({}); }, ThrowsMessage<UsageError>(HasSubstr("at least one")));
}

TEST_P(EnsembleScorerTest, AMemberWithNaNIsAnError) {
  const auto broken =
      fake([](const Ids&, const Ids&) { return std::vector<float>(kWords, std::numeric_limits<float>::quiet_NaN()); });
  const EnsembleScorer ensemble({fake(random_rule(kWords)), broken});
  EXPECT_THROW(greedy_search(ensemble, sources(1, device()), {.beam_size = 1}), ModelError);
  EXPECT_THROW(beam_search(ensemble, sources(1, device()), {.repetition_penalty = 2}), ModelError);
  EXPECT_THROW(forced_token_scores(ensemble, std::vector<Ids>{{4, kEos}}, std::vector<Ids>{{4, kEos}}, 1), ModelError);
}

/// Two models that have nothing in common but the vocabulary.
class ModelEnsembleTest : public DeviceTest {
 protected:
  ~ModelEnsembleTest() override { at::set_num_threads(threads_); }

  static ModelConfig other_config() {
    auto config = small_config();
    config.encoder_layers = 1;
    config.d_model = 24;
    config.norm = NormPlace::kPost;
    config.final_norm = false;
    return config;
  }
  static std::shared_ptr<const Scorer> ensemble_of(const EncoderDecoder& first, const EncoderDecoder& second) {
    return make_ensemble({make_scorer(first, small_config(), 20), make_scorer(second, other_config(), 14)});
  }

  static std::vector<Ids> many_sources() {
    std::vector<Ids> result;
    for (Id b = 0; b < 20; ++b) {
      auto& ids = result.emplace_back();
      for (Id s = 0; s < 1 + b * 7 % 11; ++s) ids.push_back(4 + (b * 5 + s * 3) % 16);
      ids.push_back(kEos);
    }
    return result;
  }

  using Found = std::vector<std::vector<Hypothesis>>;
  Found search(std::span<const Ids> sources, std::int64_t batch_size, bool constrained = false) const {
    DecodingConfig config{.beam_size = 4, .max_length = 13, .n_best = 4, .batch_size = batch_size};
    if (constrained) config.repetition_penalty = 1.2;  // needs all logits
    return collected_search(*scorer_, sources, config);
  }
  void expect_same(const Found& found, const Found& wanted) const {
    expect_near(found, wanted, device().is_cpu() ? 0 : 1e-4);
  }

  const int threads_ = at::get_num_threads();
  EncoderDecoder first_ = small_model(device()), second_ = small_model(device(), other_config());
  std::shared_ptr<const Scorer> scorer_ = ensemble_of(first_, second_);
};

TEST_P(ModelEnsembleTest, ScoresAreTheMeanOfBothModelsLogSoftmax) {
  const at::NoGradGuard no_grad;
  const auto sources = many_sources();
  const auto found = search(sources, 64);
  double difference = 0;
  ASSERT_THAT(found, testing::SizeIs(sources.size()));
  for (std::size_t b = 0; b < sources.size(); ++b)
    for (const auto& hypothesis : found[b]) {
      auto generated = hypothesis.ids;
      if (hypothesis.ended) generated.push_back(kEos);
      const auto target = shift_target(Rows{generated}, device());
      std::vector<at::Tensor> all;
      for (auto model : {first_, second_})
        all.push_back(
            model->generator()->forward(model->forward(pad(Rows{sources[b]}, device()), target.input, Pass{})));
      const auto mean = at::logsumexp(at::stack(all), 0) - std::log(2);  // [1, T, V]
      const auto sum = [&](const at::Tensor& x) {
        return x.gather(-1, target.labels.unsqueeze(-1)).sum(at::kDouble).item<double>();
      };
      EXPECT_NEAR(hypothesis.log_probability, sum(mean), 1e-4);
      difference = std::max(difference, std::abs(sum(all[0]) - sum(all[1])));
    }
  EXPECT_GT(difference, 0.1);
}

TEST_P(ModelEnsembleTest, ATranslationDependsNeitherOnTheBatchNorOnTheOrderNorOnThreads) {
  auto sources = many_sources();
  for (const bool constrained : {false, true}) {
    at::set_num_threads(1);
    const auto wanted = search(sources, 1, constrained);
    for (const int threads : {1, 2, 3}) {
      at::set_num_threads(threads);
      for (const std::int64_t batch_size : {3, 64}) expect_same(search(sources, batch_size, constrained), wanted);
    }
    std::ranges::reverse(sources);
    auto backwards = search(sources, 7, constrained);
    std::ranges::reverse(backwards);
    expect_same(backwards, wanted);
    std::ranges::reverse(sources);
  }
}

// A hypothesis that the length limit ended has no eos.
TEST_P(ModelEnsembleTest, ForcedScoresAreTheSearchsOwn) {
  const auto all = many_sources();
  const auto found = search(all, 64);
  std::vector<Ids> sources, targets;
  std::vector<Hypothesis> wanted;
  for (std::size_t b = 0; b < all.size(); ++b)
    for (const auto& hypothesis : found[b]) {
      sources.push_back(all[b]);
      targets.push_back(hypothesis.ids);
      targets.back().push_back(kEos);
      wanted.push_back(hypothesis);
    }
  const auto scores = forced_token_scores(*scorer_, sources, targets, 5);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto tokens = std::span(scores[i].tokens).first(wanted[i].ids.size() + (wanted[i].ended ? 1 : 0));
    const auto sum = std::accumulate(tokens.begin(), tokens.end(), 0.0);
    EXPECT_NEAR(sum, wanted[i].log_probability, device().is_cpu() ? 0 : 1e-4);
  }
}

TEST_P(ModelEnsembleTest, AttentionHasTheWidthOfTheSourceAndSumsToOne) {
  const auto source = pad(small_sources(), device());
  const auto attention = scorer_->step(*scorer_->start(source), bos(3), AttentionSite{}).attention;
  EXPECT_EQ(attention.sizes(), (at::IntArrayRef{3, 5}));
  EXPECT_THAT(attention.sum(1).cpu(), AllClose(at::tensor({1., 1., 1.}), 1e-5));
}

INSTANTIATE_DEVICES(EnsembleScorerTest);
INSTANTIATE_DEVICES(ModelEnsembleTest);

}  // namespace
}  // namespace gloss
