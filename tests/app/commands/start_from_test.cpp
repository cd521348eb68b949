#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/config/json.h"
#include "tests/app/support/bad_input.h"
#include "tests/app/support/small_run.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class StartFromTest : public testing::Test {
 protected:
  StartFromTest() { std::filesystem::rename(run_.untrained_model(), run_ / "first"); }
  /// Fine-tuning by a run file with this in its section `training`.
  Arguments tuning(const std::string& training) const {
    write_text(run_ / "tune.json", R"({"data": {"train_source": "corpus/train.source", "train_target":
      "corpus/train.target", "max_length": 64}, "training": {)" +
                                       training + "}}");
    return {"train-translate", "--config", run_ / "tune.json", "--out", run_ / "tuned", "--threads", "1"};
  }

  SmallRun run_;
};

TEST_F(StartFromTest, ARunFileWithDataAndAModelIsEnough) {
  const auto done = run_gloss(tuning(R"("start_from": "first", "max_steps": 3, "freeze": ["source_embedding"])"));
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("among them the one matrix of source, target and generator"));
  EXPECT_EQ(run_gloss({"translate", "--model", run_ / "tuned"}, "a b\n").exit_code, 0);
  const auto again = run_gloss({"train-translate", "--config", (run_ / "tuned") / "config.json", "--out", run_ / "x"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
}

TEST_F(StartFromTest, AnOptionNamesTheModelAndTheOtherValuesAreChosen) {
  const Arguments arguments = {"train-translate",
                               "--start-from",
                               run_ / "first",
                               "--source",
                               run_.corpus("train.source"),
                               "--target",
                               run_.corpus("train.target"),
                               "--out",
                               run_ / "second",
                               "--threads",
                               "1"};
  const auto done = run_gloss(arguments);
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, AllOf(HasSubstr("training.schedule inverse_sqrt, learning_rate"),
                              HasSubstr("training.max_epochs"), HasSubstr("the learning rate peaks at"),
                              HasSubstr("validation at step 0"), HasSubstr("best validations: loss")));
  const auto config = parse_json(read_text((run_ / "second") / "config.json"));
  EXPECT_EQ(config.at("defaults"), "text");
  EXPECT_GT(config.at("training").at("early_stop").at("patience"), 0);
  EXPECT_EQ(config.at("model").at("d_model"), 16) << "the model's";
  auto twice = arguments;
  twice.insert(twice.end(), {"--set", "training.start_from=x"});
  expect_outcome({"twice", twice, 2, "--set training.start_from: wanted once, got --start-from"}, run_ / "");
}

TEST_F(StartFromTest, AModelThatIsWorseThanItsStartIsWarnedOf) {
  const auto trained =
      run_gloss(run_.training("base", {"--set", "training.max_steps=60", "--set", "training.schedule=constant", "--set",
                                       "training.learning_rate=0.01"}));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const auto done =
      run_gloss(tuning(R"("start_from": "base", "max_steps": 30, "schedule": "inverse_sqrt", "learning_rate": 1)"));
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, AllOf(HasSubstr("peaks at 1, too high to train with"),
                              HasSubstr("warning: the model is worse than the one of training.start_from")));
}

TEST_F(StartFromTest, TheOppositeDirectionIsWarnedOf) {
  const auto languages = [&](const std::string& source, const std::string& target, Arguments arguments) {
    arguments.insert(arguments.end(),
                     {"--set", "data.source_language=" + source, "--set", "data.target_language=" + target});
    return run_gloss(arguments);
  };
  ASSERT_EQ(languages("en", "de", tuning(R"("start_from": "first", "max_steps": 1)")).exit_code, 0);
  std::filesystem::rename(run_ / "tuned", run_ / "en-de");
  const auto swapped = languages("de", "en", tuning(R"("start_from": "en-de", "max_steps": 1)"));
  EXPECT_EQ(swapped.exit_code, 0);
  EXPECT_THAT(swapped.err, HasSubstr("warning: training.start_from: the model translates from en to de, this run "
                                     "trains from de to en; are the texts swapped?"));
  std::filesystem::remove_all(run_ / "tuned");
  const auto same = languages("en", "de", tuning(R"("start_from": "en-de", "max_steps": 1)"));
  EXPECT_THAT(same.err, testing::Not(HasSubstr("swapped")));
}

TEST_F(StartFromTest, WhatIsWrongIsToldBeforeAnythingIsWritten) {
  write_text(run_ / "text", "Call me Ishmael, some years ago.");
  const auto model = read_text(std::filesystem::path(run_ / "first") / "model.safetensors");
  write_text(run_ / "damaged", model.substr(0, model.size() - 1) + "x");
  write_text(run_ / "wide.txt", "a 1 2 3\n");
  const auto expect = [&](const std::string& what, const std::string& training, int code, const std::string& message) {
    const auto arguments = tuning(training);
    expect_outcome({what, arguments, code, message}, run_ / "");
  };
  expect("missing", R"("start_from": "none")", 3, "training.start_from names this file, but it is not there");
  expect("no model", R"("start_from": "text")", 3, "text: ");
  expect("damaged", R"("start_from": "damaged")", 3, "damaged: ");
  expect("no path", R"("start_from": 3)", 2, "training.start_from: wanted a string, got 3");
  expect("a part", R"("start_from": "first", "freeze": ["encoder.layer.0"])", 2,
         "did you mean \"encoder.layers.0\"\\?");
  expect("all parts", R"("freeze": ["encoder", "decoder", "generator"])", 2, "left to train");
  expect("no list", R"("freeze": "encoder")", 2, "training.freeze: wanted a list of strings, got \"encoder\"");
  expect("no vectors", R"("initial_embeddings": {"source": "none"})", 3,
         "none: training.initial_embeddings.source names");
  expect("both", R"("start_from": "first", "initial_embeddings": {"source": "wide.txt"})", 2,
         "training.initial_embeddings: wanted no files");
}

TEST_F(StartFromTest, AModelInTheFolderThatANewRunEmptiesIsRefusedAndStays) {
  EXPECT_EQ(run_gloss(tuning(R"("start_from": "first", "max_steps": 0)")).exit_code, 0);
  auto arguments = tuning(R"("start_from": "tuned", "max_steps": 1)");
  arguments.push_back("--overwrite");
  expect_outcome({"its own folder", arguments, 2, "the run folder .* is the same file as training.start_from"},
                 run_ / "");
}

TEST_F(StartFromTest, AResumedRunAndAnAverageDoWithoutTheModel) {
  const auto arguments = tuning(R"("start_from": "first", "max_steps": 2)");
  EXPECT_EQ(run_gloss(arguments).exit_code, 0);
  std::filesystem::remove_all(run_ / "first");
  const auto with = [&](const Arguments& more) {
    auto all = arguments;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  expect_outcome({"a new run", with({"--overwrite"}), 3, "training.start_from names this file"}, run_ / "");
  const auto resumed = run_gloss(with({"--resume", "--set", "training.max_steps=3"}));
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("resumed after step 2"));
  const auto average = run_gloss({"average", (run_ / "tuned") / "checkpoints/step-00000002.safetensors",
                                  (run_ / "tuned") / "checkpoints/step-00000003.safetensors", "--output", run_ / "a"});
  EXPECT_EQ(average.exit_code, 0) << average.err;
}

TEST_F(StartFromTest, VectorsOfAnotherWidthAreRefused) {
  write_text(run_ / "wide.txt", "a 1 2 3\n");
  expect_outcome({"width", run_.training("x", {"--set", "training.initial_embeddings.target=wide.txt"}), 3,
                  "wide.txt: wanted vectors of model.d_model = 16 numbers, got 3"},
                 run_ / "");
}

}  // namespace
}  // namespace gloss
