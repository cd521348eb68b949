#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/files/safetensors.h"
#include "tests/app/support/process.h"
#include "tests/app/support/small_run.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::map<std::string, std::string> tensors_of(const std::filesystem::path& path) {
  const auto file = SafetensorsFile::open(path);
  std::map<std::string, std::string> tensors;
  for (const auto& [name, view] : file.tensors())
    tensors[name] = std::string(reinterpret_cast<const char*>(view.bytes.data()), view.bytes.size());
  return tensors;
}

// Four updates, a checkpoint after each; the model is the mean of the last two.
class AverageTest : public testing::Test {
 protected:
  AverageTest() {
    const auto outcome =
        run_gloss(run_.training("run", {"--set", "training.max_steps=4", "--set", "training.save_every=1", "--set",
                                        "training.average_last=2", "--set", "training.keep_checkpoints=4"}));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  }

  std::string checkpoint(int step) const {
    return run_ / "run" / "checkpoints" / ("step-0000000" + std::to_string(step) + ".safetensors");
  }

  SmallRun run_;
};

TEST_F(AverageTest, OfCheckpointsIsTheModelThatTrainingAverages) {
  const auto outcome = run_gloss({"average", checkpoint(3), checkpoint(4), "--output", run_ / "mean.safetensors"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(tensors_of(run_ / "mean.safetensors"), tensors_of(run_ / "run" / "model.safetensors"));
  const auto translated = run_gloss({"translate", "--model", run_ / "mean.safetensors"}, "a b\n");
  EXPECT_EQ(translated.exit_code, 0) << translated.err;
  EXPECT_EQ(lines_of(translated.out).size(), 1u);
}

TEST_F(AverageTest, OfOneModelIsThatModel) {
  const auto model = run_ / "run" / "model.safetensors";
  ASSERT_EQ(run_gloss({"average", model, "--output", run_ / "same.safetensors"}).exit_code, 0);
  EXPECT_EQ(tensors_of(run_ / "same.safetensors"), tensors_of(model));
}

TEST_F(AverageTest, RefusesAnotherModelOrTokenizer) {
  const auto model = run_ / "run" / "model.safetensors";
  ASSERT_EQ(run_gloss(run_.training("wider", {"--set", "training.max_steps=0", "--set", "model.d_ff=24"})).exit_code,
            0);
  ASSERT_EQ(
      run_gloss(run_.training("pieces", {"--set", "training.max_steps=0", "--set", "tokenizer.type=bpe"})).exit_code,
      0);
  for (const auto* other : {"wider", "pieces"}) {
    const auto outcome =
        run_gloss({"average", model, run_ / other / "model.safetensors", "--output", run_ / "mean.safetensors"});
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_THAT(outcome.err, HasSubstr("the first file"));
  }
  EXPECT_FALSE(std::filesystem::exists(run_ / "mean.safetensors"));
}

TEST_F(AverageTest, AFileNamedTwiceCountsOnce) {
  const auto outcome =
      run_gloss({"average", checkpoint(3), checkpoint(4), checkpoint(3), "--output", run_ / "mean.safetensors"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("counted once"), HasSubstr("wrote the mean of 2 files to ")));
  EXPECT_EQ(tensors_of(run_ / "mean.safetensors"), tensors_of(run_ / "run" / "model.safetensors"));
}

TEST_F(AverageTest, AnotherNameOfAFileCountsOnce) {
  std::filesystem::create_hard_link(checkpoint(4), run_ / "run" / "checkpoints" / "step-00000009.safetensors");
  const auto outcome = run_gloss({"average", checkpoint(4), checkpoint(9), "--output", run_ / "mean.safetensors"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("counted once"), HasSubstr("wrote the weights of one file to ")));
}

TEST_F(AverageTest, AnExistingOutputIsReplacedOnRequestOnly) {
  const auto model = run_ / "run" / "model.safetensors", output = run_ / "mean.safetensors";
  write_text(output, "mine");
  const auto refused = run_gloss({"average", model, "--output", output});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("mean.safetensors already; give another name, or --overwrite to replace it"));
  EXPECT_EQ(read_text(output), "mine");
  EXPECT_EQ(run_gloss({"average", model, "--output", output, "--overwrite"}).exit_code, 0);
  EXPECT_EQ(tensors_of(output), tensors_of(model));
}

TEST_F(AverageTest, TheMeanDoesNotReplaceOneOfTheFiles) {
  const auto model = run_ / "run" / "model.safetensors";
  const auto before = read_text(model);
  EXPECT_EQ(run_gloss({"average", model, "--output", model}).exit_code, 2);
  EXPECT_EQ(run_gloss({"average", model, "--output", model, "--overwrite"}).exit_code, 2);
  EXPECT_EQ(read_text(model), before);
}

TEST_F(AverageTest, ACheckpointGivenForAModelIsToldWhatToDo) {
  const auto outcome = run_gloss({"translate", "--model", checkpoint(4)});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("gloss average"));
}

TEST_F(AverageTest, ARunWithoutItsModelIsToldWhatToDo) {
  std::filesystem::remove(run_ / "run" / "model.safetensors");
  const auto outcome = run_gloss({"translate", "--model", run_ / "run"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--resume"));
}

TEST_F(AverageTest, AFinishedRunWithoutCheckpointsIsNotBegunAnewByResuming) {
  std::filesystem::remove_all(run_ / "run" / "checkpoints");
  const auto before = read_text(run_ / "run" / "model.safetensors");
  const auto outcome = run_gloss(run_.training("run", {"--resume"}));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("no checkpoint to resume from"));
  EXPECT_EQ(read_text(run_ / "run" / "model.safetensors"), before);
}

TEST_F(AverageTest, RefusesACheckpointAwayFromItsRun) {
  std::filesystem::copy_file(checkpoint(4), run_ / "alone.safetensors");
  const auto outcome = run_gloss({"average", run_ / "alone.safetensors", "--output", run_ / "mean.safetensors"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, StartsWith("gloss: "));
  EXPECT_THAT(outcome.err, HasSubstr("config.json"));
}

TEST_F(AverageTest, RequiresExistingFiles) {
  EXPECT_EQ(run_gloss({"average", "--output", run_ / "mean.safetensors"}).exit_code, 2);
  EXPECT_EQ(run_gloss({"average", run_ / "absent", "--output", run_ / "mean.safetensors"}).exit_code, 2);
}

}  // namespace
}  // namespace gloss
