#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/files/sha256.h"
#include "tests/app/support/process.h"
#include "tests/app/support/small_run.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

class TrainTranslateTest : public testing::Test {
 protected:
  std::string sum(const std::string& out) const { return sha256(read_text((run_ / out) / "model.safetensors")); }

  static std::string newest(const fs::path& folder) {
    std::string name;
    if (fs::exists(folder))
      for (const auto& entry : fs::directory_iterator(folder)) name = std::max(name, entry.path().filename().string());
    return name;
  }
  /// Waits until the training has saved a checkpoint newer than `than`.
  void wait_for_checkpoint(Process& process, const std::string& out, const std::string& than = {}) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (process.running() && newest((run_ / out) / "checkpoints") <= than) {
      if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error(out + ": no new checkpoint came");
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  SmallRun run_;
};

TEST_F(TrainTranslateTest, EndsWithTheScoreAndItsSignatureOnStdout) {
  const auto outcome = run_gloss(run_.training("a"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, MatchesRegex("BLEU = [0-9]+\\.[0-9][0-9]\nnrefs:1\\|case:mixed\\|eff:no\\|tok:13a\\|"
                                        "smooth:exp\\|version:2\\.6\\.0\n"));
  for (const auto* file : {"model.safetensors", "log.jsonl", "config.json"})
    EXPECT_TRUE(fs::exists((run_ / "a") / file)) << file;
}

TEST_F(TrainTranslateTest, WithoutATestSetStdoutIsEmpty) {
  const auto outcome = run_gloss(run_.training(
      "a", {"--set", "training.max_steps=1", "--set", "data.test_source=", "--set", "data.test_target=", "--quiet"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, IsEmpty());
}

TEST_F(TrainTranslateTest, EqualSeedsGiveEqualModelsAndOthersDoNot) {
  const Arguments few = {"--set", "training.max_steps=5"};
  auto other = few;
  other.insert(other.end(), {"--seed", "8"});
  for (const auto* out : {"a", "b"}) EXPECT_EQ(run_gloss(run_.training(out, few)).exit_code, 0);
  EXPECT_EQ(run_gloss(run_.training("c", other)).exit_code, 0);
  EXPECT_EQ(sum("a"), sum("b"));
  EXPECT_NE(sum("a"), sum("c"));
}

TEST_F(TrainTranslateTest, APlainRunIsResumedAsAPlainRunOnly) {
  const Arguments few = {"--set", "training.max_steps=3", "--set", "training.save_every=1"};
  const auto train = [&](const std::string& out, const Arguments& more) {
    auto arguments = few;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_gloss(run_.training(out, arguments));
  };
  ASSERT_EQ(train("plain", {"--plain"}).exit_code, 0);
  ASSERT_EQ(train("fast", {}).exit_code, 0);
  EXPECT_NE(sum("plain"), sum("fast"));
  for (const auto& [out, more] :
       {std::pair{"plain", Arguments{"--resume"}}, std::pair{"fast", Arguments{"--resume", "--plain"}}}) {
    const auto refused = train(out, more);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr("cannot resume: changed since the checkpoint was saved: --plain;"));
  }
  EXPECT_EQ(train("plain", {"--resume", "--plain"}).exit_code, 0);
  EXPECT_EQ(train("fast", {"--resume"}).exit_code, 0);
}

TEST_F(TrainTranslateTest, ARefusedResumePrintsNoWarnings) {
  const Arguments warned = {"--set", "training.max_steps=200", "--set", "training.warmup_steps=4000"};
  ASSERT_EQ(run_gloss(run_.training("a", {"--set", "training.max_steps=1"})).exit_code, 0);
  auto arguments = warned;
  arguments.insert(arguments.end(), {"--set", "training.learning_rate=0.5", "--resume"});
  const auto refused = run_gloss(run_.training("a", arguments));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("cannot resume: changed"), testing::Not(HasSubstr("warning"))));
}

TEST_F(TrainTranslateTest, RefusesAUsedFolderUnlessToldWhatToDo) {
  const Arguments few = {"--set", "training.max_steps=2"};
  EXPECT_EQ(run_gloss(run_.training("a", few)).exit_code, 0);
  const auto before = sum("a");
  const auto refused = run_gloss(run_.training("a", few));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("--resume"), HasSubstr("--overwrite")));
  EXPECT_EQ(sum("a"), before);
  EXPECT_EQ(run_gloss(run_.training("a", {"--overwrite", "--set", "training.max_steps=3"})).exit_code, 0);
  EXPECT_NE(sum("a"), before);
}

TEST_F(TrainTranslateTest, SecondTrainerOnTheSameFolderIsLockedOut) {
  const Arguments endless = {"--set", "training.max_steps=1000000"};
  Process first(run_.training("a", endless));
  wait_for_checkpoint(first, "a");
  for (const Arguments& how : {Arguments{}, Arguments{"--resume"}, Arguments{"--overwrite"}}) {
    auto more = endless;
    more.insert(more.end(), how.begin(), how.end());
    const auto second = run_gloss(run_.training("a", more));
    EXPECT_EQ(second.exit_code, 5) << second.err;
    EXPECT_THAT(second.err, HasSubstr("process " + std::to_string(first.id()) + " is using it"));
  }
  first.signal(SIGTERM);
  EXPECT_EQ(first.wait().exit_code, 143);
}

TEST_F(TrainTranslateTest, NamesAnUnknownKeyAndTheOneThatWasMeant) {
  const auto outcome = run_gloss(run_.training("a", {"--set", "training.max_step=5"}));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("training.max_step"), HasSubstr("max_steps")));
  EXPECT_FALSE(fs::exists(run_ / "a"));
}

TEST_F(TrainTranslateTest, AMissingCorpusIsBadDataAndNothingIsWritten) {
  const auto outcome = run_gloss(run_.training("a", {"--set", "data.train_source=no_such_file"}));
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("no_such_file"));
  EXPECT_FALSE(fs::exists(run_ / "a"));
}

TEST_F(TrainTranslateTest, CorporaOfDifferentLengthAreBadData) {
  write_text(run_.corpus("train.target"), "one\n");
  const auto outcome = run_gloss(run_.training("a"));
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("200 lines"), HasSubstr(" 1; line n")));
}

TEST_F(TrainTranslateTest, AFileInPlaceOfTheRunFolderIsAnIoError) {
  write_text(run_ / "a", "in the way");
  EXPECT_EQ(run_gloss(run_.training("a")).exit_code, 4);
  EXPECT_EQ(read_text(run_ / "a"), "in the way");
}

TEST_F(TrainTranslateTest, EndsWhereTheLossIsNoNumberAnyMore) {
  const auto outcome = run_gloss(run_.training("a", {"--set", "training.learning_rate=1e38", "--set",
                                                     "training.schedule=constant", "--set", "training.max_steps=100"}));
  EXPECT_EQ(outcome.exit_code, 6) << outcome.err;
}

TEST_F(TrainTranslateTest, WeightsThatExplodeBeforeAValidationEndTheRunAsDiverged) {
  const auto outcome =
      run_gloss(run_.training("out", {"--set", "training.schedule=constant", "--set", "training.learning_rate=1e30",
                                      "--set", "training.validate_every=1"}));
  EXPECT_EQ(outcome.exit_code, 6) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("training.learning_rate"));
}

TEST_F(TrainTranslateTest, StoppedTwiceAndResumedGivesTheBitsOfAnUnbrokenRun) {
  const auto training = [&](const std::string& name, const char* threads, bool resume) {
    Arguments more = {"--set", "training.max_steps=60", "--threads", threads};
    if (resume) more.push_back("--resume");
    return run_.training(name, more);
  };
  ASSERT_EQ(run_gloss(training("unbroken", "1", false)).exit_code, 0);

  // Each part has another number of threads.
  Process first(training("broken", "2", false));
  wait_for_checkpoint(first, "broken");
  first.signal(SIGINT);
  const auto interrupted = first.wait();
  EXPECT_EQ(interrupted.exit_code, 130) << interrupted.err;
  EXPECT_FALSE(fs::exists((run_ / "broken") / "model.safetensors"));

  const auto stopped_at = newest((run_ / "broken") / "checkpoints");
  Process second(training("broken", "1", true));
  wait_for_checkpoint(second, "broken", stopped_at);
  second.signal(SIGTERM);
  EXPECT_EQ(second.wait().exit_code, 143);
  EXPECT_GT(newest((run_ / "broken") / "checkpoints"), stopped_at);

  const auto last = run_gloss(training("broken", "2", true));
  EXPECT_EQ(last.exit_code, 0) << last.err;
  EXPECT_EQ(sum("broken"), sum("unbroken"));
}

TEST_F(TrainTranslateTest, AClosedTerminalIsATermination) {
  Process process(run_.training("a", {"--set", "training.max_steps=1000000"}));
  wait_for_checkpoint(process, "a");
  process.signal(SIGHUP);
  const auto stopped = process.wait();
  EXPECT_EQ(stopped.exit_code, 143);
  EXPECT_THAT(stopped.err, HasSubstr("continue with: gloss train-translate --resume"));
}

TEST_F(TrainTranslateTest, ADamagedNewestCheckpointIsNamedAndTheOneBeforeUsed) {
  const Arguments few = {"--set", "training.max_steps=15"};
  auto resume = few;
  resume.push_back("--resume");
  EXPECT_EQ(run_gloss(run_.training("a", few)).exit_code, 0);
  const auto unbroken = sum("a");
  const auto checkpoints = (run_ / "a") / "checkpoints";
  auto bytes = read_text(checkpoints / "step-00000015.safetensors");
  bytes.back() ^= 1;
  write_text(checkpoints / "step-00000015.safetensors", bytes);
  fs::remove((run_ / "a") / "model.safetensors");

  const auto resumed = run_gloss(run_.training("a", resume));
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.err, AllOf(HasSubstr("step-00000015.safetensors"), HasSubstr("the file is damaged"),
                                 HasSubstr("going on from step 10, 5 steps lost")));
  EXPECT_EQ(sum("a"), unbroken);

  for (const auto& entry : fs::directory_iterator(checkpoints)) fs::resize_file(entry.path(), 100);
  const auto none = run_gloss(run_.training("a", resume));
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.err, AllOf(HasSubstr("wanted a whole checkpoint, got "), HasSubstr("--overwrite")));
}

TEST_F(TrainTranslateTest, ADamagedNameInTheNewestCheckpointLeadsToTheOneBefore) {
  EXPECT_EQ(run_gloss(run_.training("a", {"--set", "training.max_steps=10"})).exit_code, 0);
  const auto damage = [](const fs::path& path) {
    auto bytes = read_text(path);
    const auto place = bytes.find("self_attention");
    ASSERT_NE(place, bytes.npos);
    bytes[place] ^= 1;
    write_text(path, bytes);
  };
  const auto model = run_ / "a/model.safetensors";
  damage(model);
  const auto refused = run_gloss({"translate", "--model", model}, "bada\n");
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("header_sha256: wanted "));
  damage(run_ / "a/checkpoints/step-00000010.safetensors");
  const auto resumed = run_gloss(run_.training("a", {"--resume", "--set", "training.max_steps=10"}));
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_THAT(resumed.err, HasSubstr("going on from step 5, 5 steps lost"));
}

TEST_F(TrainTranslateTest, StoppedInTheTestItIsScoredOnResuming) {
  std::string many;
  for (int i = 0; i < 20000; ++i) many += "a b c " + std::to_string(i) + '\n';
  const auto source = read_text(run_.corpus("test.source")), target = read_text(run_.corpus("test.target"));
  for (const auto* side : {"test.source", "test.target"}) write_text(run_.corpus(side), many);
  const Arguments few = {"--set", "training.max_steps=3"};
  Process first(run_.training("a", few));
  while (first.running() && read_text(run_ / "a" / "log.jsonl").find("\"model\"") == std::string::npos)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  first.signal(SIGINT);
  const auto stopped = first.wait();
  EXPECT_EQ(stopped.exit_code, 130) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("stopped after step 3; continue with: gloss train-translate --resume"));
  EXPECT_THAT(stopped.out, IsEmpty());

  write_text(run_.corpus("test.source"), source);
  write_text(run_.corpus("test.target"), target);
  auto more = few;
  more.push_back("--resume");
  const auto resumed = run_gloss(run_.training("a", more)), unbroken = run_gloss(run_.training("b", few));
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(resumed.out, unbroken.out);
  EXPECT_EQ(sum("a"), sum("b"));
}

}  // namespace
}  // namespace gloss
