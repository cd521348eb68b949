#include "run/estimate/run_length.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gloss {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

RunConfig config_of(const std::string& training) {
  return parse_run_config(parse_json(R"({"training": )" + training + "}"));
}

RunLength length_of(const std::string& training, std::int64_t batches = 10) {
  return run_length(config_of(training).training, std::vector{EpochsOfStage{1, batches}});
}

TEST(RunLengthTest, TheFirstLimitEndsTheRun) {
  EXPECT_EQ(length_of(R"({"max_epochs": 7})").updates, 70);
  EXPECT_EQ(length_of(R"({"max_epochs": 7, "accumulate": 3})").updates, 28);
  EXPECT_EQ(length_of(R"({"max_epochs": 7, "max_steps": 50})").updates, 50);
  EXPECT_EQ(length_of(R"({"max_epochs": 7, "max_steps": 500})").updates, 70);
  EXPECT_EQ(length_of(R"({"max_epochs": 2147483647, "max_steps": 4294967295})").updates, 4294967295);
  EXPECT_EQ(length_of("{}").updates, 100'000);
  EXPECT_FALSE(length_of(R"({"max_hours": 1})").updates);
  EXPECT_EQ(length_of(R"({"max_hours": 1})").updates_per_epoch, 10);
}

TEST(RunLengthTest, IsEstimatedFromTheLengthsOfTheText) {
  auto config = config_of(R"({"max_epochs": 5})");
  config.data.batch_tokens = 100;
  config.data.train_source = config.data.train_target = "text";
  TextLengths text;
  text.training.emplace_back().pairs.assign(40, {10, 5});
  const auto length = estimate_run_length(config, text);
  EXPECT_EQ(length.updates_per_epoch, 4);
  EXPECT_EQ(length.updates, 20);
  EXPECT_DOUBLE_EQ(length.tokens, 600);
  EXPECT_EQ(updates_text(length), "about 4 in an epoch, 20 in the run");
  text.training[0].texts_per_sample = 2.5;
  EXPECT_EQ(estimate_run_length(config, text).updates_per_epoch, 10);
  EXPECT_DOUBLE_EQ(estimate_run_length(config, text).tokens, 1500);
  EXPECT_EQ(estimate_run_length(config, {}).updates_per_epoch, 0);
}

TEST(RunLengthTest, IsTheSumOfTheStages) {
  const std::vector<EpochsOfStage> stages = {{2, 10}, {3, 4}, {0, 7}};
  const auto updates = [&](const std::string& training) { return run_length(config_of(training).training, stages); };
  EXPECT_EQ(updates(R"({"max_epochs": 1})").updates, 10);
  EXPECT_EQ(updates(R"({"max_epochs": 2})").updates, 20);
  EXPECT_EQ(updates(R"({"max_epochs": 4})").updates, 28);
  EXPECT_EQ(updates(R"({"max_epochs": 6})").updates, 39);
  EXPECT_EQ(updates(R"({"max_epochs": 6, "accumulate": 3})").updates, 2 * 4 + 3 * 2 + 3);
  EXPECT_EQ(updates(R"({"max_epochs": 6, "max_steps": 30})").updates, 30);
  EXPECT_EQ(updates("{}").updates_per_epoch, 10);
}

TEST(RunLengthTest, WeightsCountInTheEstimate) {
  auto config = parse_run_config(parse_json(R"({"training": {"max_epochs": 3}, "data": {"batch_tokens": 100, "stages": [
      {"sources": [{"source": "a", "target": "b"}, {"source": "c", "target": "d", "weight": 2}], "until_epochs": 1},
      {"sources": [{"source": "c", "target": "d", "weight": 0.5}]}]}})"));
  TextLengths text;
  for (int i = 0; i < 2; ++i) text.training.emplace_back().pairs.assign(40, {10, 5});
  const auto length = estimate_run_length(config, text);
  EXPECT_EQ(length.updates_per_epoch, 4 + 8);
  EXPECT_EQ(length.updates, 12 + 2 * 2);
  EXPECT_DOUBLE_EQ(length.tokens, 1200);
  config.training.max_epochs = 1;
  config.training.max_steps = 200;
  EXPECT_THAT(warnings_of(config, length, 10), testing::Contains(HasSubstr("before its last stage begins")));
}

TEST(RunLengthTest, WarnsOfSettingsThatCannotWork) {
  const auto warnings = [](const std::string& training, RunLength length, std::int64_t pieces = 10) {
    length.tokens = 100'000;
    return warnings_of(config_of(training), length, pieces);
  };
  EXPECT_THAT(warnings(R"({"warmup_steps": 400, "max_epochs": 1})", {2000, 2000}), IsEmpty());
  EXPECT_THAT(warnings(R"({"warmup_steps": 1001, "max_epochs": 1})", {2000, 2000}),
              ElementsAre(AllOf(HasSubstr("training.warmup_steps: 1001"), HasSubstr("lower it to 500"))));
  EXPECT_THAT(warnings(R"({"warmup_steps": 1001, "schedule": "constant", "learning_rate": 0.001})", {2000, 2000}),
              IsEmpty());
  EXPECT_THAT(warnings(R"({"warmup_steps": 10, "max_epochs": 1})", {999, 999}),
              ElementsAre(AllOf(HasSubstr("the run has 999 updates"), HasSubstr("raise training.max_epochs"))));
  EXPECT_THAT(warnings(R"({"warmup_steps": 10, "max_epochs": 1})", {1000, 1000}), IsEmpty());
  EXPECT_THAT(warnings(R"({"warmup_steps": 4000, "max_hours": 1})", {10, std::nullopt}), IsEmpty());
  EXPECT_THAT(warnings(R"({"max_steps": 100})", {100, 100}), IsEmpty()) << "a trial";
  EXPECT_THAT(warnings("{}", {9000, 100'000}, 20'000), IsEmpty());
  EXPECT_THAT(warnings("{}", {9000, 100'000}, 20'001),
              ElementsAre(AllOf(HasSubstr("tokenizer.vocabulary_size: the text has 100000 tokens for 20001 pieces"),
                                HasSubstr("some 5000 pieces suit it"))));
  EXPECT_THAT(warnings_of(config_of("{}"), {}, 10), IsEmpty()) << "nothing is known of the text";
}

TEST(RunLengthTest, ALearningRateThatCannotTrainIsWarnedOf) {
  const auto warnings = [](const std::string& training) {
    return warnings_of(config_of(training), {2000, 20'000}, 10);
  };
  EXPECT_THAT(warnings(R"({"learning_rate": 0.0001})"),
              ElementsAre(AllOf(HasSubstr("training.learning_rate: the learning rate peaks at 6.99e-08, too low"),
                                HasSubstr("for training.schedule noam the key is a factor"))));
  EXPECT_THAT(warnings(R"({"schedule": "constant"})"),
              ElementsAre(AllOf(HasSubstr("peaks at 1, too high"), HasSubstr("wanted a peak from 1e-06 to 0.02"))));
  EXPECT_THAT(warnings(R"({"schedule": "inverse_sqrt", "max_steps": 10})"), ElementsAre(HasSubstr("peaks at 1, too")))
      << "a trial diverges, too";
  for (const auto* rate : {"1e-6", "0.02"})
    EXPECT_THAT(warnings(std::string(R"({"schedule": "inverse_sqrt", "learning_rate": )") + rate + "}"), IsEmpty());
}

TEST(RunLengthTest, ThePeakIsPrinted) {
  const auto text = [](const std::string& training, std::optional<std::int64_t> updates) {
    return peak_text(config_of(training), {10, updates});
  };
  const std::string rate = R"("learning_rate": 0.004, "warmup_steps": 400)";
  EXPECT_EQ(text(R"({"schedule": "inverse_sqrt", )" + rate + "}", 1200),
            "the learning rate peaks at 0.004, at update 400");
  EXPECT_EQ(text(R"({"schedule": "inverse_sqrt", )" + rate + "}", 100),
            "the learning rate peaks at 0.001, at update 100");
  EXPECT_EQ(text(R"({"schedule": "constant", )" + rate + "}", std::nullopt), "the learning rate is 0.004");
}

TEST(RunLengthTest, ASecondTrainingMayBeShortAndKeepsItsTokenizer) {
  EXPECT_THAT(
      warnings_of(config_of(R"({"start_from": "m", "warmup_steps": 10, "max_epochs": 1})"), {150, 150, 7400}, 4000),
      IsEmpty());
}

TEST(RunLengthTest, CharactersAreNotTooManyPieces) {
  auto config = config_of("{}");
  config.tokenizer.type = TokenizerType::kChar;
  EXPECT_THAT(warnings_of(config, {9000, 100'000, 100}, 5000), IsEmpty());
}

}  // namespace
}  // namespace gloss
