#include "alignment/alignment_model.h"

#include <cmath>
#include <cstring>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/alignment/word_golden.h"

namespace gloss {
namespace {

const NumberedTexts& golden_text() {
  static const NumberedTexts text(word_golden().at("source"), word_golden().at("target"));
  return text;
}

/// A model that has learned from the text in `updates` iterations, in two parts each.
struct Learned {
  AlignmentModel model;
  std::vector<std::array<DirectionFit, 2>> fits;

  Learned(const NumberedTexts& text, const AlignmentSettings& settings, int updates) : model(settings) {
    const auto lines = std::span(text.lines);
    model.add(lines.first(1));
    model.add(lines.subspan(1));
    model.begin(text.sources.size(), text.targets.size());
    for (int i = 0; i < updates; ++i) {
      model.expect(lines.first(1));
      model.expect(lines.subspan(1));
      fits.push_back(model.maximize());
    }
  }
};

/// Sums of the probabilities of all given words of a direction, and of no word (-1).
std::map<Id, double> sums(AlignmentModel& model, std::size_t direction) {
  std::map<Id, double> result;
  for (const auto& pair : model.pairs())
    if (pair.key != 0)
      result[direction == 0 ? pair.source() : pair.target()] += static_cast<double>(pair.probability[direction]);
  for (const auto probability : model.null_probabilities(direction)) result[-1] += probability;
  return result;
}

TEST(AlignmentModelTest, ProbabilitiesOfEachWordSumToOneOrWithAPriorToLess) {
  Learned likely(golden_text(), {.alpha = 0}, 3), bayes(golden_text(), {.alpha = 0.01}, 3);
  for (const std::size_t direction : {0, 1}) {
    for (const auto& [word, sum] : sums(likely.model, direction)) EXPECT_NEAR(sum, 1, 1e-5) << word;
    for (const auto& [word, sum] : sums(bayes.model, direction)) EXPECT_LT(sum, 0.999) << word;
  }
}

TEST(AlignmentModelTest, TheLikelihoodRises) {
  const Learned learned(golden_text(), {.alpha = 0, .lambda = 4}, 12);
  for (std::size_t i = 1; i < learned.fits.size(); ++i)
    for (const std::size_t d : {0, 1})
      EXPECT_GT(learned.fits[i][d].log_likelihood, learned.fits[i - 1][d].log_likelihood) << i;
}

TEST(AlignmentModelTest, ThreadsDoNotChangeABit) {
  Learned one(golden_text(), {.threads = 1}, 3), four(golden_text(), {.threads = 4}, 3);
  for (std::size_t i = 0; i < one.fits.size(); ++i)
    for (const std::size_t d : {0, 1}) {
      EXPECT_EQ(one.fits[i][d].log_likelihood, four.fits[i][d].log_likelihood);
      EXPECT_EQ(one.fits[i][d].lambda, four.fits[i][d].lambda);
    }
  std::map<std::uint64_t, std::array<float, 2>> first, second;
  for (const auto& pair : one.model.pairs()) first[pair.key] = pair.probability;
  for (const auto& pair : four.model.pairs()) second[pair.key] = pair.probability;
  EXPECT_EQ(first, second);
}

/// One iteration of the forward direction from equal probabilities, by the definition.
std::map<std::pair<Id, Id>, double> first_counts(const std::vector<IdPair>& lines, double p0, double lambda) {
  std::map<std::pair<Id, Id>, double> counts;
  for (const auto& [source, target] : lines)
    for (std::size_t e = 0; e < target.size(); ++e) {
      std::vector<double> weights;
      double sum = 0;
      for (std::size_t g = 0; g < source.size(); ++g) {
        const auto place = static_cast<double>(g + 1) / static_cast<double>(source.size());
        weights.push_back(
            std::exp(-lambda * std::abs(place - static_cast<double>(e + 1) / static_cast<double>(target.size()))));
        sum += weights.back();
      }
      for (std::size_t g = 0; g < source.size(); ++g) counts[{source[g], target[e]}] += (1 - p0) * weights[g] / sum;
    }
  return counts;
}

TEST(AlignmentModelTest, TheFirstIterationIsThatOfTheDefinition) {
  Learned learned(golden_text(), {.null_probability = 0.2, .alpha = 0, .lambda = 3}, 1);
  const auto counts = first_counts(golden_text().lines, 0.2, 3);
  std::map<Id, double> totals;
  for (const auto& [pair, count] : counts) totals[pair.first] += count;
  std::size_t compared = 0;
  for (const auto& pair : learned.model.pairs())
    if (pair.key != 0) {
      EXPECT_NEAR(pair.probability[0], counts.at({pair.source(), pair.target()}) / totals.at(pair.source()), 1e-6);
      ++compared;
    }
  EXPECT_EQ(compared, counts.size());
}

TEST(AlignmentModelTest, LikelihoodsAndLinksEqualThoseOfFastAlign) {
  const auto golden = word_golden();
  for (const auto& [setting, results] : golden.at("settings").items()) {
    const AlignmentSettings settings{.alpha = std::stod(setting.substr(6)), .lambda = golden.at("lambda")};
    Learned learned(golden_text(), settings, 4);
    const auto links = learned.model.align(golden_text().lines);
    learned.model.expect(golden_text().lines);
    learned.fits.push_back(learned.model.maximize());
    const std::array<std::string, 2> names{"forward", "reverse"};
    for (const std::size_t d : {0, 1}) {
      const auto& likelihoods = results.at(names[d] + " log-likelihood");
      for (std::size_t i = 1; i < likelihoods.size(); ++i) {  // its first one has probabilities that do not sum to 1
        const auto expected = likelihoods[i].get<double>();
        EXPECT_NEAR(learned.fits[i][d].log_likelihood, expected, std::abs(expected) * 6e-6) << setting << ' ' << i;
      }
      const auto kind = d == 0 ? Symmetrization::kForward : Symmetrization::kReverse;
      for (std::size_t i = 0; i < links.size(); ++i) {
        auto expected = links_in(results.at(names[d])[i]);
        std::ranges::sort(expected);
        std::vector<std::pair<Id, Id>> got;
        for (const auto& [source, target] : symmetrized(links[i], kind))
          got.emplace_back(static_cast<Id>(source), static_cast<Id>(target));
        EXPECT_EQ(got, expected) << setting << ' ' << names[d] << ' ' << i;
      }
    }
  }
}

TEST(AlignmentModelTest, LambdaIsFittedFromTheSecondUpdateOn) {
  const Learned learned(golden_text(), {}, 3);
  EXPECT_EQ(learned.fits[0][0].lambda, 4);
  EXPECT_EQ(learned.fits[1][0].lambda, 4);
  EXPECT_GT(learned.fits[2][0].lambda, 4.5);
  EXPECT_LT(learned.fits[2][0].lambda, 14);
}

TEST(AlignmentModelTest, APairWithAnEmptySideTeachesNothing) {
  NumberedTexts text({"a b", "c", ""}, {"x y", "", "z"});
  Learned learned(text, {.alpha = 0}, 2);
  EXPECT_EQ(learned.fits[1][0].words, 2);
  EXPECT_EQ(learned.fits[1][1].words, 2);
  const auto links = learned.model.align(text.lines);
  for (const std::size_t line : {1, 2}) {
    EXPECT_TRUE(links[line].source_of_target.empty());
    EXPECT_TRUE(links[line].target_of_source.empty());
  }
}

}  // namespace
}  // namespace gloss
