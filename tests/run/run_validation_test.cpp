#include "run/run_validation.h"

#include <cmath>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "run/run_curves.h"
#include "tensor/runtime.h"
#include "tests/run/small_job.h"
#include "tests/support/device_test.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class TrainingLensTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    set_up_runtime(1);
    testing::internal::CaptureStderr();
    sentence_ = lines_of_file(job_.config.data.valid_source).front();
    job_.config.lens.sentences = {sentence_, "b a"};
    job_.config.training.validate_every = 2;
    job_.config.training.max_steps = 4;
  }
  void TearDown() override {
    if (capturing_) testing::internal::GetCapturedStderr();
  }
  std::string printed() {
    capturing_ = false;
    return testing::internal::GetCapturedStderr();
  }

  std::vector<Json> looks() const {
    std::vector<Json> found;
    for (const auto& line : lines_of_file(job_ / "run/lens.jsonl")) found.push_back(parse_json(line));
    return found;
  }
  std::vector<std::int64_t> steps() const {
    std::vector<std::int64_t> found;
    for (const auto& look : looks()) found.push_back(look.at("step"));
    return found;
  }

  SmallJob job_{device()};
  std::string sentence_;
  bool capturing_ = true;
};

TEST_P(TrainingLensTest, TheModelFileIsTheSameWithAndWithoutIt) {
  SmallJob without(device());
  without.config.training = job_.config.training;
  EXPECT_GT(job_.config.model.dropout, 0) << "random numbers that a look could change";
  without.run();
  job_.run();
  EXPECT_EQ(text_of_file(job_ / "run/model.safetensors"), text_of_file(without / "run/model.safetensors"));
  EXPECT_FALSE(std::filesystem::exists(without / "run/lens.jsonl"));
}

TEST_P(TrainingLensTest, EachValidationAndTheFinalWeightsAreObservedOnce) {
  job_.config.training.max_steps = 5;
  job_.config.training.validate_every = 2;
  job_.run();
  EXPECT_THAT(steps(), ElementsAre(2, 4, 5));
  for (const auto& look : looks()) {
    ASSERT_EQ(look["items"].size(), 2U);
    EXPECT_EQ(look["items"][0]["text"], sentence_);
    EXPECT_EQ(look["items"][1]["text"], "b a");
    EXPECT_EQ(look["items"][1]["maps"].size(), 3U);
  }
}

TEST_P(TrainingLensTest, ShowsTheTranslationOfTheValidation) {
  job_.run();
  std::size_t validations = 0;
  for (const auto& line : lines_of_file(job_ / "run/log.jsonl")) {
    const auto event = parse_json(line);
    if (event.at("event") != "validation") continue;
    ASSERT_EQ(event["samples"][0]["source"], sentence_);
    EXPECT_EQ(looks().at(validations++)["items"][0]["target"]["text"], event["samples"][0]["translation"]);
  }
  EXPECT_EQ(validations, 2U);
}

TEST_P(TrainingLensTest, ATranslationThatDoesNotEndIsCut) {
  job_.config.decoding.max_length = 256;
  job_.config.decoding.min_length = 200;
  job_.run();
  for (const auto& look : looks())
    for (const auto& item : look["items"])
      EXPECT_EQ(item["target"]["pieces"].size(), 2 * item["source"]["pieces"].size() + 50);
}

TEST_P(TrainingLensTest, TheMeanOfTheLastSavesIsObservedLast) {
  job_.config.training.save_every = 2;
  job_.config.training.average_last = 2;
  job_.run();
  EXPECT_THAT(steps(), ElementsAre(2, 4, 4));
  const auto all = looks();
  EXPECT_NE(all[1]["items"], all[2]["items"]);
  EXPECT_EQ(run_curves(std::vector{job_ / "run"})["runs"][0]["lens"][1]["items"], all[2]["items"]);
}

TEST_P(TrainingLensTest, WithoutValidationTheFinalWeightsAreObserved) {
  job_.config.data.valid_source = job_.config.data.valid_target = "";
  job_.run();
  EXPECT_THAT(steps(), ElementsAre(4));
}

TEST_P(TrainingLensTest, AResumedRunAddsToItAndMayHaveOtherSentences) {
  job_.run();
  const auto before = text_of_file(job_ / "run/lens.jsonl");
  job_.config.training.max_steps = 6;
  job_.config.lens.sentences = {"c"};
  EXPECT_EQ(job_.run(/*resume=*/true).steps, 6);
  EXPECT_TRUE(text_of_file(job_ / "run/lens.jsonl").starts_with(before));
  EXPECT_THAT(steps(), ElementsAre(2, 4, 6));
  const auto lens = run_curves(std::vector{job_ / "run"})["runs"][0]["lens"];
  ASSERT_EQ(lens.size(), 3U);
  EXPECT_EQ(lens[0]["items"][0]["text"], sentence_);
  EXPECT_EQ(lens[2]["items"][0]["text"], "c");
  EXPECT_FALSE(lens[2].contains("event"));
}

TEST_P(TrainingLensTest, ASentenceWithoutAPieceIsRefusedBeforeTraining) {
  job_.config.lens.sentences = {"a", "  "};
  EXPECT_THAT([&] { job_.run(); },
              ThrowsMessage<UsageError>(HasSubstr("lens.sentences: wanted sentences, got a text without a piece")));
  EXPECT_FALSE(std::filesystem::exists(job_ / "run"));
}

TEST_P(TrainingLensTest, AFullDiskEndsTheLensAndNotTheRun) {
  std::filesystem::create_directories(job_ / "run");
  std::filesystem::create_symlink("/dev/full", job_ / "run/lens.jsonl");
  EXPECT_EQ(job_.run(/*resume=*/true).steps, 4);
  EXPECT_TRUE(std::filesystem::exists(job_ / "run/model.safetensors"));
  const auto text = printed();
  const auto warning = text.find("lens.jsonl: cannot be written; the lens ends here, training goes on");
  ASSERT_NE(warning, text.npos) << text;
  EXPECT_EQ(text.find("cannot be written", warning + 40), text.npos) << "warned once";
}

INSTANTIATE_DEVICES(TrainingLensTest);

}  // namespace
}  // namespace gloss
