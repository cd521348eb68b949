#include "run/config/run_files.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/system/signals.h"
#include "common/system/stop.h"
#include "run/train_translate.h"
#include "tests/run/small_job.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::ThrowsMessage;
using testing::UnorderedElementsAre;

namespace fs = std::filesystem;
std::vector<std::string> names_of(const std::vector<NamedFile>& files) {
  std::vector<std::string> names;
  for (const auto& file : files) names.push_back(file.path.filename().string());
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

class RunFilesTest : public testing::Test {
 protected:
  RunFilesTest() {
    fs::create_directories(folder_ / "checkpoints");
    for (const auto* name : {"notes.txt", "step-latest.safetensors", "step-00000005.safetensors"})
      write_file(folder_ / "checkpoints" / name, "text");
    fs::create_symlink("step-00000005.safetensors", folder_ / "checkpoints/best.safetensors");
  }

  const TemporaryFolder folder_;
};

TEST_F(RunFilesTest, ReadsTheFilesThatTheRunFileNames) {
  RunConfig config;
  config.data.train_source = "a.en";
  config.training.initial_embeddings.target = "vectors";
  config.training.start_from = folder_.path().string();
  const auto files = files_read(config);
  EXPECT_THAT(names_of(files), UnorderedElementsAre("a.en", "vectors", "model.safetensors"));
  EXPECT_TRUE(std::ranges::any_of(files, [](const auto& file) { return file.name == "data.train_source"; }));
}

TEST_F(RunFilesTest, AModelIsAFileOrTheModelOfAFolder) {
  EXPECT_EQ(model_path(folder_.path()), folder_ / "model.safetensors");
  EXPECT_EQ(model_path(folder_ / "checkpoints/best.safetensors"), folder_ / "checkpoints/best.safetensors");
  EXPECT_EQ(model_path(folder_ / "absent"), folder_ / "absent");
}

TEST_F(RunFilesTest, AMissingFileIsReportedWithItsKey) {
  EXPECT_NO_THROW(expect_named_file("data.train_source", folder_ / "checkpoints/notes.txt"));
  EXPECT_THAT([&] { expect_named_file("data.train_source", folder_ / "absent"); },
              testing::ThrowsMessage<DataError>(HasSubstr("absent: data.train_source names this file, but it is not")));
}

TEST_F(RunFilesTest, OnlyCheckpointsAndTheLinkAreGloss) {
  std::vector<std::string> names;
  for (const auto& file : RunFiles(folder_.path()).checkpoint_files()) names.push_back(file.filename().string());
  EXPECT_THAT(names, UnorderedElementsAre("best.safetensors", "step-00000005.safetensors"));
}

TEST_F(RunFilesTest, ARunThatResumesKeepsItsConfigurationAndTokenizers) {
  const auto anew = run_outputs(folder_.path(), false), resumed = run_outputs(folder_.path(), true);
  EXPECT_THAT(anew.kept, IsEmpty());
  for (const auto* name : {"config.json", "tokenizer.model", "source_tokenizer.model"}) {
    EXPECT_TRUE(contains(names_of(anew.written), name));
    EXPECT_TRUE(contains(names_of(resumed.kept), name));
    EXPECT_FALSE(contains(names_of(resumed.written), name));
  }
  for (const auto* name : {"model.safetensors", "log.jsonl", "lens.jsonl", "corpus.cache", "step-00000005.safetensors"})
    EXPECT_TRUE(contains(names_of(resumed.written), name));
  EXPECT_FALSE(contains(names_of(anew.written), "notes.txt"));
}

TEST(ResumeCommandTest, NamesTheFolderAndTheOptions) {
  EXPECT_EQ(resume_command("runs/x"), "gloss train-translate --resume runs/x");
  EXPECT_EQ(resume_command("my runs/x", " --threads 1"), "gloss train-translate --resume 'my runs/x' --threads 1");
}

TEST_F(RunFilesTest, WarnsOfTheModelOfAnEarlierRun) {
  const auto model = folder_ / "model.safetensors";
  const auto warning = [&](const fs::path& file) {
    testing::internal::CaptureStderr();
    warn_of_earlier_model(file);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(warning(model), "");
  write_file(RunFiles(folder_.path()).earlier_model, "text");
  EXPECT_THAT(warning(model), HasSubstr("is the model of an earlier run"));
  EXPECT_EQ(warning(folder_ / "other.safetensors"), "");
}

class DataFilesTest : public testing::Test {
 protected:
  // Returns the text on stderr when the run was refused.
  std::string refused(const std::string& message) const {
    testing::internal::CaptureStderr();
    EXPECT_THAT([&] { job_.run(); }, ThrowsMessage<DataError>(HasSubstr(message)));
    EXPECT_FALSE(std::filesystem::exists(job_ / "run"));
    return testing::internal::GetCapturedStderr();
  }

  SmallJob job_;
};

TEST_F(DataFilesTest, AreAllCheckedBeforeATokenizerIsTrained) {
  const auto data = job_.config.data;
  for (const auto& path : {data.train_source, data.train_target, data.valid_source, data.valid_target, data.test_source,
                           data.test_target}) {
    const auto lines = lines_of_file(path);
    auto more = lines;
    more.push_back("one more");
    write_lines(path, more);
    EXPECT_THAT(refused("line n of one must belong to line n of the other"), Not(HasSubstr("training tokenizer")))
        << path;
    more.front() = "\x1F\x8B" + more.front();
    write_lines(path, more);
    EXPECT_THAT(refused("wanted a gzip file, got damaged bytes"), Not(HasSubstr("training tokenizer"))) << path;
    write_lines(path, lines);
  }
  for (const auto& path : {data.valid_source, data.valid_target}) write_lines(path, {});
  EXPECT_THAT(refused("got empty files"), Not(HasSubstr("training tokenizer")));
}

TEST_F(DataFilesTest, AreNamedByKeyIfMissing) {
  auto data = job_.config.data;
  EXPECT_NO_THROW(expect_data_files(data));
  data.train_target = data.train_source;
  EXPECT_THAT([&] { expect_data_files(data); }, ThrowsMessage<UsageError>(HasSubstr("data.train_target: is the same")));
  data.train_target = "";
  EXPECT_THAT([&] { expect_data_files(data); }, ThrowsMessage<UsageError>(HasSubstr("data.train_target: wanted")));
  data = job_.config.data;
  data.test_target = "nowhere";
  EXPECT_THAT([&] { expect_data_files(data); }, ThrowsMessage<DataError>(HasSubstr("nowhere")));
}

TEST_F(DataFilesTest, ASignalStopsTheReadingAndNothingIsLeft) {
  {
    const StopOnSignal stop;
    std::raise(SIGTERM);
    EXPECT_THROW(expect_aligned(TextFiles{job_.config.data.train_source, job_.config.data.train_target}), Stopped);
    testing::internal::CaptureStderr();
    EXPECT_EQ(job_.run().end, TrainingEnd::kStopped);
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                AllOf(HasSubstr("stopped before training began"), Not(HasSubstr("training tokenizer"))));
  }
  EXPECT_FALSE(std::filesystem::exists(job_ / "run"));
  const StopOnSignal forgets_the_last_signal;
}

}  // namespace
}  // namespace gloss
