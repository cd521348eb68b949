#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/config/json.h"
#include "tests/app/support/process.h"
#include "tests/app/support/small_run.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

double score_in(const std::string& n_best_line) { return std::stod(n_best_line.substr(n_best_line.rfind(' ') + 1)); }

/// --model given several times. Nobody trained the models.
class EnsembleTest : public testing::Test {
 protected:
  static Outcome run(Arguments arguments, const Arguments& models, std::string_view input = {}) {
    arguments.insert(arguments.end(), {"--device", "cpu", "--threads", "1"});
    for (const auto& model : models) arguments.insert(arguments.end(), {"--model", model});
    auto outcome = run_gloss(arguments, input);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome;
  }

  SmallRun run_;
  std::string one_ = run_.untrained_model(), other_ = run_.untrained_model(8);
};

TEST_F(EnsembleTest, ModelsTranslateTogether) {
  const auto say = [](const Arguments& models) {
    return lines_of(run({"translate", "--n-best", "3"}, models, "bada kilo\nmuna\n\nrato bada kilo\n").out);
  };
  const auto alone = say({one_}), together = say({one_, other_});
  EXPECT_EQ(together.size(), 10u);
  EXPECT_NE(together, alone);
  EXPECT_NE(together, say({other_}));
  EXPECT_EQ(together, say({other_, one_}));  // of two numbers the sum has no order
  const auto twice = say({one_, one_});
  ASSERT_EQ(twice.size(), alone.size());
  for (std::size_t i = 0; i < twice.size(); ++i) EXPECT_NEAR(score_in(twice[i]), score_in(alone[i]), 2e-6);
}

TEST_F(EnsembleTest, ScoresAreOfTheMeanOfTheProbabilities) {
  write_text(run_ / "source", "a\nb\n");
  write_text(run_ / "target", "a\nb a\n");
  const auto probabilities = [&](const Arguments& models) {
    std::vector<double> result;
    const auto scored =
        run({"score", "--source", run_ / "source", "--target", run_ / "target", "--json-lines"}, models);
    for (const auto& line : lines_of(scored.out)) {
      const auto pair = parse_json(line);
      for (const auto& token : pair.at("tokens")) result.push_back(std::exp(token.at("log_probability").get<double>()));
    }
    return result;
  };
  const auto one = probabilities({one_}), other = probabilities({other_}), both = probabilities({one_, other_});
  ASSERT_EQ(both.size(), 8u);
  for (std::size_t i = 0; i < both.size(); ++i) {
    EXPECT_NEAR(both[i], (one[i] + other[i]) / 2, 1e-6);
    EXPECT_GT(std::abs(one[i] - other[i]), 1e-5);
  }
}

TEST_F(EnsembleTest, WhatIsEvaluatedIsWhatTheyTranslate) {
  const auto source = run_.corpus("test.source"), reference = run_.corpus("test.target");
  write_text(run_ / "said", run({"translate"}, {one_, other_}, read_text(source)).out);
  const auto evaluated =
      run({"evaluate", "--source", source, "--reference", reference, "--metrics", "chrf", "--json"}, {one_, other_});
  const auto scored =
      run_gloss({"evaluate", "--hypothesis", run_ / "said", "--reference", reference, "--metrics", "chrf", "--json"});
  EXPECT_GT(parse_json(evaluated.out).at("chrf").at("score").get<double>(), 0);
  EXPECT_EQ(parse_json(evaluated.out).at("chrf").at("score"), parse_json(scored.out).at("chrf").at("score"));
}

TEST_F(EnsembleTest, AnotherTokenizerIsRefusedByTheNameOfItsFile) {
  const auto trained =
      run_gloss(run_.training("letters", {"--set", "training.max_steps=0", "--set", "tokenizer.vocabulary_size=20"}));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const auto outcome = run_gloss({"translate", "--model", one_, "--model", run_ / "letters"}, "bada\n");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("letters: wanted the tokenizer of " + one_));
  EXPECT_THAT(outcome.out, IsEmpty());
}

// sacreBLEU's command line has the references without an option before them.
TEST_F(EnsembleTest, AModelTakesOneArgumentEachTime) {
  const auto outcome = run_gloss({"translate", "--model", one_, other_}, "bada\n");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("unexpected argument " + other_));
  const auto missing = run_gloss({"translate"}, "bada\n");
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("--model is required"));
}

}  // namespace
}  // namespace gloss
