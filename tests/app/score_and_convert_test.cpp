#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/json.h"
#include "tests/app/process.h"
#include "tests/app/small_run.h"

namespace gloss {
namespace {

using testing::HasSubstr;

class ScoreAndConvertTest : public testing::Test {
 protected:
  SmallRun run_;
  std::string model_ = run_.untrained_model();
};

TEST_F(ScoreAndConvertTest, EachPairHasAScoreWhichIsTheSumOfItsTokens) {
  write_text(run_ / "source", "a\nb\n");
  write_text(run_ / "target", "a\nb a\n");
  const auto plain = run_gloss({"score", "--model", model_, "--source", run_ / "source", "--target", run_ / "target"});
  ASSERT_EQ(plain.exit_code, 0) << plain.err;
  EXPECT_EQ(lines_of(plain.out).size(), 2u);
  EXPECT_THAT(plain.err, HasSubstr("2 pairs, "));
  const auto whole = run_gloss({"score", "--model", model_, "--source", run_ / "source", "--target", run_ / "target",
                                "--json-lines", "--length-penalty", "0"});
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  for (const auto& line : lines_of(whole.out)) {
    const auto pair = parse_json(line);
    double sum = 0;
    for (const auto& token : pair.at("tokens")) sum += token.at("log_probability").get<double>();
    EXPECT_NEAR(sum, pair.at("log_probability").get<double>(), 1e-9);
    EXPECT_EQ(pair.at("score"), pair.at("log_probability"));
    EXPECT_EQ(pair.at("tokens").back().at("piece"), "</s>");
  }
}

TEST_F(ScoreAndConvertTest, UnequalFilesAreRefused) {
  write_text(run_ / "source", "a\nb\n");
  write_text(run_ / "target", "a\n");
  const auto outcome =
      run_gloss({"score", "--model", model_, "--source", run_ / "source", "--target", run_ / "target"});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

TEST_F(ScoreAndConvertTest, ASmallerFileTranslatesAsBefore) {
  const auto size = std::filesystem::file_size(std::filesystem::path(model_) / "model.safetensors");
  for (const auto* precision : {"bfloat16", "int8"}) {
    const std::string output = run_ / (precision + std::string(".safetensors"));
    const auto converted = run_gloss({"convert", "--model", model_, "--precision", precision, "--output", output});
    ASSERT_EQ(converted.exit_code, 0) << converted.err;
    EXPECT_LT(std::filesystem::file_size(output), size);
    for (const auto* computed : {"float32", precision}) {
      const auto translated = run_gloss({"translate", "--model", output, "--precision", computed}, "a\nb\n");
      EXPECT_EQ(translated.exit_code, 0) << translated.err;
      EXPECT_EQ(lines_of(translated.out).size(), 2u);
    }
  }
}

TEST_F(ScoreAndConvertTest, ScoresStayWithTheWeightsThatTheyAreOf) {
  const auto trained = run_gloss(run_.training("trained", {"--set", "training.max_steps=2"}));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const std::string model = run_ / "trained", output = run_ / "int8.safetensors";
  const auto converted = run_gloss({"convert", "--model", model, "--precision", "int8", "--output", output});
  ASSERT_EQ(converted.exit_code, 0) << converted.err;
  const auto inspect = [](const std::string& file) { return parse_json(run_gloss({"inspect", file, "--json"}).out); };
  const auto before = inspect(model), after = inspect(output);
  for (const auto* scores : {"validation", "test"}) {
    EXPECT_TRUE(before.at("provenance").contains(scores)) << scores;
    EXPECT_FALSE(after.at("provenance").contains(scores)) << scores;
  }
  EXPECT_EQ(after.at("parameters"), before.at("parameters"));
  EXPECT_EQ(before.at("precision"), "float32");
  EXPECT_EQ(after.at("precision"), "int8");
}

TEST_F(ScoreAndConvertTest, AModelIsNotWrittenOverItself) {
  const std::string file = std::filesystem::path(model_) / "model.safetensors";
  const auto outcome = run_gloss({"convert", "--model", model_, "--precision", "int8", "--output", file});
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_EQ(run_gloss({"convert", "--model", model_, "--precision", "int4", "--output", run_ / "x"}).exit_code, 2);
}

}  // namespace
}  // namespace gloss
