#include "run/run_folder.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/files/safetensors.h"
#include "run/config/run_files.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Throws;
using testing::ThrowsMessage;

class RunFolderTest : public testing::Test {
 protected:
  fs::path run() const { return folder_.path() / "runs" / "one"; }
  void leave_a_run() const {
    RunFolder folder(run(), false, false);
    folder.keep();
    write_file(RunFiles(run()).config, R"({"data": {}, "model": {}, "training": {}})");
    write_model(folder.files().model);
    folder.log("step", {{"step", 1}});
  }
  static void write_model(const fs::path& path) {
    const std::vector<std::byte> bytes(4);
    write_safetensors(path, {{"weight", {Dtype::kF32, {1}, bytes}}}, {{"format", "gloss-model"}});
  }
  bool has_model() const { return fs::exists(run() / "model.safetensors"); }

  TemporaryFolder folder_;
};

TEST_F(RunFolderTest, AnAbsentFolderIsMade) {
  leave_a_run();
  EXPECT_TRUE(fs::exists(run() / "model.safetensors"));
  EXPECT_TRUE(fs::is_directory(run() / "checkpoints"));
}

TEST_F(RunFolderTest, AFolderThatIsNotKeptIsRemoved) {
  { RunFolder folder(run(), false, false); }
  EXPECT_FALSE(fs::exists(run().parent_path())) << "the parents made with it";
  fs::create_directories(run().parent_path());
  { RunFolder folder(run(), false, false); }
  EXPECT_TRUE(fs::is_empty(run().parent_path())) << "a parent that was there stays";
  fs::create_directories(run());
  { RunFolder folder(run(), false, false); }
  EXPECT_TRUE(fs::is_empty(run()));
}

TEST_F(RunFolderTest, AUsedFolderIsRefusedAndLeftAsItWas) {
  leave_a_run();
  EXPECT_THAT([&] { RunFolder(run(), false, false); },
              ThrowsMessage<UsageError>(testing::AllOf(HasSubstr("--resume"), HasSubstr("--overwrite"))));
  EXPECT_TRUE(has_model());
}

TEST_F(RunFolderTest, OverwritingRemovesTheEarlierRunOnlyWhenTheNewOneBegins) {
  leave_a_run();
  write_file(run() / "checkpoints/step-00000005.safetensors", "checkpoint");
  write_file(run() / "lens.jsonl", "{}\n");
  const std::vector<fs::path> others = {run() / "notes.txt", run() / "checkpoints/notes.txt",
                                        run() / "checkpoints/step-latest.safetensors"};
  for (const auto& other : others) write_file(other, "mine");
  {
    RunFolder folder(run(), false, true);
    EXPECT_GT(fs::file_size(folder.files().log), 0u);
    EXPECT_TRUE(fs::exists(run() / "checkpoints/step-00000005.safetensors"));
    folder.keep();
    EXPECT_FALSE(fs::exists(run() / "checkpoints/step-00000005.safetensors"));
  }
  for (const auto& other : others) EXPECT_EQ(read_file(other, 100), "mine");
  EXPECT_EQ(fs::file_size(run() / "log.jsonl"), 0);
  EXPECT_FALSE(fs::exists(run() / "lens.jsonl"));
}

TEST_F(RunFolderTest, OverwritingKeepsTheEarlierModelUntilTheNewOneIsWritten) {
  leave_a_run();
  const auto mark = RunFiles(run()).earlier_model;
  {
    RunFolder folder(run(), false, true);
    folder.keep();
    EXPECT_TRUE(has_model());
    EXPECT_TRUE(fs::exists(mark));
  }
  {
    RunFolder folder(run(), true, false);  // killed before its first checkpoint
    EXPECT_FALSE(folder.resumes());
    folder.keep();
    EXPECT_TRUE(fs::exists(mark)) << "the model is still the earlier one";
    write_file(folder.files().model, "new");
    folder.model_is_written();
  }
  EXPECT_FALSE(fs::exists(mark));
}

TEST_F(RunFolderTest, OverwritingRemovesNothingIfAFileCannotBeReplaced) {
  leave_a_run();
  write_file(run() / "checkpoints/step-00000005.safetensors", "checkpoint");
  for (const auto* name : {"source_tokenizer.model", "tokenizer.model"}) {
    fs::create_directories(run() / name / "mine");
    RunFolder folder(run(), false, true);
    EXPECT_THAT([&] { folder.keep(); }, ThrowsMessage<IoError>(HasSubstr(name)));
    EXPECT_TRUE(fs::exists(run() / "checkpoints/step-00000005.safetensors"));
    EXPECT_GT(fs::file_size(folder.files().log), 0u);
    EXPECT_TRUE(fs::exists(run() / name / "mine"));
    fs::remove_all(run() / name);
  }
}

TEST_F(RunFolderTest, OverwritingLeavesFilesOfOtherPrograms) {
  const auto expect_refused = [&](const std::string& name) {
    RunFolder folder(run(), false, true);
    EXPECT_THAT([&] { folder.keep(); }, ThrowsMessage<UsageError>(HasSubstr(name)));
  };
  fs::create_directories(run());
  for (const auto* name : {"tokenizer.model", "log.jsonl", "lens.jsonl"}) {
    write_file(run() / name, "mine");
    expect_refused(name);
    EXPECT_EQ(read_file(run() / name, 100), "mine");
    fs::remove(run() / name);
  }
  write_file(run() / "config.json", R"({"architectures": ["MarianMTModel"]})");
  expect_refused("config.json is not the configuration of a run");
  fs::remove(run() / "config.json");
  const std::vector<std::byte> bytes(4);
  write_safetensors(run() / "model.safetensors", {{"weight", {Dtype::kF32, {1}, bytes}}}, {{"format", "pt"}});
  expect_refused("model.safetensors is not a model of gloss");
  EXPECT_TRUE(has_model());
}

TEST_F(RunFolderTest, AModelWithoutCheckpointsIsNotResumed) {
  leave_a_run();
  EXPECT_THROW(RunFolder(run(), true, false), UsageError);
  EXPECT_TRUE(has_model());
}

TEST_F(RunFolderTest, ResumingKeepsTheEarlierRunAndAddsToItsLog) {
  leave_a_run();
  fs::create_directories(run() / "checkpoints");
  std::ofstream(run() / "checkpoints" / "step-00000001.safetensors") << "checkpoint";
  {
    RunFolder folder(run(), true, false);
    folder.keep();
    folder.log("step", {{"step", 2}});
  }
  EXPECT_TRUE(has_model());
  std::ifstream log(run() / "log.jsonl");
  std::vector<std::int64_t> steps;
  for (std::string line; std::getline(log, line);) steps.push_back(parse_json(line).at("step"));
  EXPECT_EQ(steps, (std::vector<std::int64_t>{1, 2}));
}

TEST_F(RunFolderTest, TwoRunsCannotHoldOneFolder) {
  const RunFolder folder(run(), false, false);
  EXPECT_THAT([&] { RunFolder(run(), false, false); }, Throws<LockedError>());
}

TEST_F(RunFolderTest, OtherProcessesMustSeeTheFolder) {
  const auto other = [&] { RunFolder(run(), false, false, /*writes=*/false); };
  EXPECT_THAT(other, ThrowsMessage<IoError>(HasSubstr("config.json: process 0 has written this file")));
  EXPECT_FALSE(fs::exists(run()));
  RunFolder folder(run(), false, false);
  write_file(folder.files().config, "{}");
  EXPECT_NO_THROW(other()) << "although process 0 holds the folder";
  folder.keep();
}

TEST_F(RunFolderTest, AFileCannotBeARunFolder) {
  write_file(folder_.path() / "file", "text");
  EXPECT_THAT([&] { RunFolder(folder_.path() / "file", false, false); }, Throws<IoError>());
  EXPECT_THAT([&] { RunFolder(folder_.path() / "file" / "below", false, false); }, Throws<IoError>());
  const auto too_long = folder_.path() / "new" / std::string(300, 'x');
  EXPECT_THAT([&] { RunFolder(too_long, false, false); }, Throws<IoError>());
  EXPECT_FALSE(fs::exists(folder_.path() / "new"));
}

// A run folder of somebody else must not lead to changes elsewhere.
TEST_F(RunFolderTest, ARunWritesThroughNoLink) {
  leave_a_run();
  const auto victim = folder_ / "mine";
  write_file(victim, "mine");
  for (const std::string name : {"log.jsonl", "lens.jsonl", "corpus.cache", "corpus.texts.json", "model.safetensors",
                                 "earlier_model.txt", "tokenizer.model", "checkpoints/step-00000009.safetensors"})
    for (const auto& target : {victim, folder_ / "missing"}) {
      fs::copy(run(), folder_ / "copy", fs::copy_options::recursive);
      const auto link = folder_ / "copy" / name;
      fs::remove(link);
      fs::create_symlink(target, link);
      for (const bool resume : {false, true})
        EXPECT_THAT([&] { RunFolder(folder_ / "copy", resume, !resume); },
                    ThrowsMessage<UsageError>(HasSubstr(name + ": wanted a file of the run, got a link")));
      fs::remove_all(folder_ / "copy");
    }
  fs::create_symlink("/dev/null", RunFiles(run()).lens);
  EXPECT_NO_THROW(RunFolder(run(), false, true));
}

}  // namespace
}  // namespace gloss
