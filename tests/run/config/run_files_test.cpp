#include "run/config/run_files.h"

#include <algorithm>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

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

}  // namespace
}  // namespace gloss
