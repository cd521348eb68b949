#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/files/sha256.h"
#include "tests/app/support/process.h"
#include "tests/app/support/small_run.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Training by two file names, with a model that is as small as the rest of these tests.
class FirstRunTest : public testing::Test {
 protected:
  FirstRunTest() {
    fs::copy_file(run_.corpus("train.source"), run_.corpus("train.en"));
    fs::copy_file(run_.corpus("train.target"), run_.corpus("train.de"));
  }
  Arguments training(const std::string& out, const Arguments& more = {}) const {
    Arguments arguments = {"train-translate",
                           "--source",
                           run_.corpus("train.en"),
                           "--target",
                           run_.corpus("train.de"),
                           "--out",
                           run_ / out,
                           "--threads",
                           "1",
                           "--device",
                           "cpu"};
    for (const auto* setting : {"model.d_model=16", "model.encoder_layers=1", "model.decoder_layers=1"})
      arguments.insert(arguments.end(), {"--set", setting});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  nlohmann::json config(const std::string& out) const {
    return nlohmann::json::parse(read_text(run_ / out / "config.json"));
  }
  /// The bytes of the model file after its header, in which the two configurations differ.
  std::string weights(const std::string& out) const {
    const auto file = read_text(run_ / out / "model.safetensors");
    std::uint64_t header = 0;
    std::memcpy(&header, file.data(), sizeof header);
    return sha256(file.substr(sizeof header + header));
  }

  SmallRun run_;
};

TEST_F(FirstRunTest, ATextThatIsRefusedIsRefusedBeforeTheRunIsDescribed) {
  std::string latin;
  for (int line = 0; line < 200; ++line) latin += "\xfc\n";
  write_text(run_.corpus("train.de"), latin);
  const auto outcome = run_gloss(training("a"));
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(lines_of(outcome.err).size(), 1U) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("wanted UTF-8, got 200 of 200 lines with other bytes"));
}

TEST_F(FirstRunTest, TwoFileNamesAreEnough) {
  const auto outcome = run_gloss(training("a", {"--set", "training.max_epochs=2"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("values chosen for 200 sentence pairs"), HasSubstr("  tokenizer.vocabulary_size "),
                    HasSubstr(" of 200 pairs; data.valid_source"), HasSubstr("(greedy)"),
                    HasSubstr("the model is " + (run_ / "a" / "model.safetensors").string() + ", "),
                    HasSubstr("translate with: gloss translate --model " + (run_ / "a").string() + " < ")));
  const auto config = this->config("a");
  EXPECT_EQ(config.at("defaults"), "text");
  EXPECT_EQ(config.at("data").at("source_language"), "en");
  EXPECT_EQ(config.at("data").at("target_language"), "de");
  EXPECT_EQ(config.at("data").at("train_source"), run_.corpus("train.en"));
  EXPECT_THAT(run_gloss({"inspect", run_ / "a"}).out, HasSubstr("\"source_language\": \"en\""));
  EXPECT_EQ(run_gloss({"translate", "--model", run_ / "a"}, "a b\n").exit_code, 0);
}

TEST_F(FirstRunTest, QuietPrintsNothingOfTheChoice) {
  const auto outcome = run_gloss(training("a", {"--set", "training.max_steps=1", "--quiet"}));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, IsEmpty());
}

TEST_F(FirstRunTest, FilesGivenToValidateAndTestAreUsed) {
  const auto outcome =
      run_gloss(training("a", {"--set", "training.max_steps=1", "--valid-source", run_.corpus("valid.source"),
                               "--valid-target", run_.corpus("valid.target"), "--test-source",
                               run_.corpus("test.source"), "--test-target", run_.corpus("test.target")}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("BLEU = "));
  EXPECT_THAT(outcome.err, Not(HasSubstr("held out")));
  EXPECT_EQ(config("a").at("data").at("hold_out"), false);
  EXPECT_EQ(config("a").at("data").at("valid_source"), run_.corpus("valid.source"));
}

TEST_F(FirstRunTest, FilesReplaceThoseOfARunFile) {
  const auto outcome = run_gloss(run_.training("a", {"--source", run_.corpus("train.en"), "--target",
                                                     run_.corpus("train.de"), "--set", "training.max_steps=1"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(config("a").at("data").at("train_source"), run_.corpus("train.en"));
  EXPECT_EQ(config("a").at("data").at("valid_source"), run_.corpus("valid.source"));
}

// The words between `begin` and the end of its line.
Arguments arguments_after(const std::string& begin, const std::string& text) {
  std::istringstream line(text.substr(text.find(begin) + begin.size()));
  std::string first;
  std::getline(line, first);
  std::istringstream words(first);
  return {std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()};
}

TEST_F(FirstRunTest, AStoppedRunPrintsTheCommandThatGoesOnAndThatGivesTheSameBits) {
  const auto length = [](std::int64_t steps) {
    return Arguments{"--set", "training.warmup_steps=10",
                     "--set", "training.save_every=5",
                     "--set", "training.max_steps=" + std::to_string(steps)};
  };
  Process first(training("broken", length(1'000'000)));
  const auto checkpoints = run_ / "broken" / "checkpoints";
  while (first.running() && (!fs::exists(checkpoints) || fs::is_empty(checkpoints)))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  first.signal(SIGINT);
  const auto stopped = first.wait();
  ASSERT_EQ(stopped.exit_code, 130) << stopped.err;
  EXPECT_THAT(stopped.err,
              HasSubstr("; continue with: gloss train-translate --resume " + (run_ / "broken").string() + ' '));

  const std::string before_step = "stopped after step ";
  const auto steps = std::stoll(stopped.err.substr(stopped.err.find(before_step) + before_step.size())) + 20;
  auto command = arguments_after("continue with: gloss ", stopped.err);
  command.insert(command.end(), {"--set", "training.max_steps=" + std::to_string(steps)});
  const auto resumed = run_gloss(command);
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("resumed after step"));
  ASSERT_EQ(run_gloss(training("unbroken", length(steps))).exit_code, 0);
  EXPECT_EQ(weights("broken"), weights("unbroken"));
}

TEST_F(FirstRunTest, ResumingTakesAFolderInEitherOption) {
  ASSERT_EQ(run_gloss(run_.training("a", {"--set", "training.max_steps=3"})).exit_code, 0);
  const Arguments longer = {"--set", "training.max_steps=4", "--threads", "1", "--device", "cpu"};
  const auto resume = [&](Arguments arguments) {
    arguments.insert(arguments.begin(), "train-translate");
    arguments.insert(arguments.end(), longer.begin(), longer.end());
    return run_gloss(arguments);
  };
  EXPECT_EQ(resume({"--resume", run_ / "a"}).exit_code, 0);
  EXPECT_EQ(resume({"--config", run_.config(), "--resume", run_ / "a"}).exit_code, 0);
  EXPECT_EQ(resume({"--config", run_.config(), "--resume", "--out", run_ / "a"}).exit_code, 0);
  EXPECT_EQ(resume({"--resume", "--out", run_ / "a"}).exit_code, 0);
  const auto two = resume({"--resume", run_ / "a", "--out", run_ / "b"});
  EXPECT_EQ(two.exit_code, 2);
  EXPECT_THAT(two.err, HasSubstr("--out: wanted the folder that --resume names"));
}

TEST_F(FirstRunTest, RefusesWhatIsNoRun) {
  const auto refused = [](const Arguments& more, const std::string& message) {
    Arguments arguments = {"train-translate"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto outcome = run_gloss(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(message));
  };
  refused({}, "wanted --source and --target, or --config, or --resume with the folder of a run");
  refused({"--source", run_.corpus("train.en")}, "--target");
  refused({"--source", run_ / "none", "--target", run_.corpus("train.de")}, "--source: there is no file");
  refused({"--resume", run_ / "none"}, "holds no run");
  EXPECT_FALSE(fs::exists(run_ / "none"));
}

TEST_F(FirstRunTest, TheTextIsRefusedAsWithFixedDefaults) {
  write_text(run_.corpus("train.de"), "one\n");
  const auto outcome = run_gloss(training("a"));
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("200 lines"), HasSubstr(" 1; line n")));
  EXPECT_FALSE(fs::exists(run_ / "a"));
}

TEST_F(FirstRunTest, TwentyPairsAreTrained) {
  std::string source, target;
  for (int i = 0; i < 20; ++i) {
    source += "the dog sees house number " + std::to_string(i) + ".\n";
    target += "der Hund sieht Haus Nummer " + std::to_string(i) + ".\n";
  }
  write_text(run_.corpus("train.en"), source);
  write_text(run_.corpus("train.de"), target);
  const auto outcome = run_gloss(training("a"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("held out of training to validate on: 2 of 20 pairs"),
                                 HasSubstr("warning: the run has ")));
}

TEST_F(FirstRunTest, SettingsThatCannotWorkAreWarnedOf) {
  const auto warned = run_gloss(run_.training("a", {"--set", "training.max_steps=200"}));
  EXPECT_THAT(warned.err, AllOf(HasSubstr("warning: training.warmup_steps: 4000 are more than half of the 200 updates"),
                                HasSubstr("training will take about ")));
  const auto trial = run_gloss(run_.training("b", {"--set", "training.max_steps=100"}));
  EXPECT_THAT(trial.err, Not(HasSubstr("warning")));
}

TEST_F(FirstRunTest, CheckDataAndDoctorReportTheUpdates) {
  const auto check = run_gloss({"check-data", "--config", run_.config(), "--set", "training.max_steps=200"});
  EXPECT_THAT(check.out, AllOf(HasSubstr("updates of the weights: about "), HasSubstr(" in an epoch, 200 in the run\n"),
                               HasSubstr("warning: training.warmup_steps")));
  const auto report = nlohmann::json::parse(run_gloss({"check-data", "--config", run_.config(), "--json"}).out);
  EXPECT_GT(report.at("training").at("updates_per_epoch"), 0);
  EXPECT_EQ(report.at("training").at("updates"), 40);
  EXPECT_THAT(report.at("training").at("warnings"), IsEmpty());
  const Arguments doctor = {"doctor", "--threads", "1", "--config", run_.config(), "--set", "training.max_steps=200"};
  EXPECT_THAT(run_gloss(doctor).out, AllOf(HasSubstr("  updates           about "), HasSubstr(", 200 in the run\n"),
                                           HasSubstr("training.warmup_steps: 4000 are more than half")));
}

}  // namespace
}  // namespace gloss
