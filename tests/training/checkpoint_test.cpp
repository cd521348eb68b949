#include "training/checkpoint.h"

#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(CheckpointNameTest, HasEightDigitsOrMore) {
  EXPECT_EQ(checkpoint_name(0), "step-00000000.safetensors");
  EXPECT_EQ(checkpoint_name(1234), "step-00001234.safetensors");
  EXPECT_EQ(checkpoint_name(12345678901), "step-12345678901.safetensors");
}

TEST(CheckpointNameTest, ReadsBackItsStep) {
  for (const std::int64_t step : {0LL, 7LL, 99'999'999LL, 100'000'000LL, 4'294'967'295LL})
    EXPECT_EQ(checkpoint_step(checkpoint_name(step)), step);
}

TEST(CheckpointNameTest, OtherFilesHaveNoStep) {
  for (const auto* name : {"", "best.safetensors", "step-.safetensors", "step-1234567.safetensors",
                           "step-0000001x.safetensors", "step--0000001.safetensors", "step-00000001.safetensors.tmp",
                           "step-00000001", "x-step-00000001.safetensors", "step-99999999999999999999.safetensors"})
    EXPECT_EQ(checkpoint_step(name), std::nullopt) << name;
}

namespace fs = std::filesystem;

class CheckpointTest : public testing::Test {
 protected:
  TrainingState state_at(std::int64_t step) const {
    TrainingState state;
    state.step = step;
    return state;
  }

  void save(std::int64_t step, std::int64_t keep = 100, std::vector<std::string> averaged = {}) {
    const std::array<float, 2> values = {static_cast<float>(step), 1};
    auto state = state_at(step);
    state.averaged = std::move(averaged);
    CheckpointFolder(place(), keep).save({{"w", {Dtype::kF32, {2}, std::as_bytes(std::span(values))}}}, state);
  }

  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(place())) names.insert(entry.path().filename());
    return names;
  }

  void flip_last_bit(std::int64_t step) const {
    std::fstream file(place() / checkpoint_name(step), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(-1, std::ios::end);
    const int last = file.get();
    file.seekp(-1, std::ios::end);
    file.put(static_cast<char>(last ^ 1));
  }

  fs::path place() const { return folder_ / "checkpoints"; }
  CheckpointFolder folder() const { return {place(), 100}; }

  TemporaryFolder folder_;
};

TEST_F(CheckpointTest, EmptyFolderHasNoCheckpoint) { EXPECT_FALSE(folder().newest().has_value()); }

TEST_F(CheckpointTest, NewestIsByStepNotByTime) {
  save(20);
  save(100);
  fs::last_write_time(place() / checkpoint_name(20),
                      fs::last_write_time(place() / checkpoint_name(100)) + std::chrono::hours(1));
  const auto newest = folder().newest();
  ASSERT_TRUE(newest.has_value());
  EXPECT_EQ(newest->state.step, 100);
  const auto bytes = newest->file.tensors().at("w").bytes;
  EXPECT_EQ(*reinterpret_cast<const float*>(bytes.data()), 100);
}

TEST_F(CheckpointTest, KeepsTheNewestAndThoseOfTheAverage) {
  save(1);
  save(2);
  save(3);
  save(4, 2, {checkpoint_name(1), checkpoint_name(4)});
  EXPECT_THAT(files(),
              ElementsAre("step-00000001.safetensors", "step-00000003.safetensors", "step-00000004.safetensors"));
  save(5, 2);
  EXPECT_THAT(files(), ElementsAre("step-00000004.safetensors", "step-00000005.safetensors"));
}

TEST_F(CheckpointTest, BestIsKeptAndLinked) {
  const auto save_with_best = [&](std::int64_t step, std::int64_t best) {
    const std::array<float, 1> value = {static_cast<float>(step)};
    auto state = state_at(step);
    state.best_step = best;
    CheckpointFolder(place(), 1).save({{"w", {Dtype::kF32, {1}, std::as_bytes(std::span(value))}}}, state);
  };
  const auto best = [&] {
    return *reinterpret_cast<const float*>(folder().open("best.safetensors").tensors().at("w").bytes.data());
  };
  save_with_best(1, 0);
  EXPECT_THAT(files(), ElementsAre("step-00000001.safetensors"));
  save_with_best(2, 2);
  save_with_best(3, 2);
  EXPECT_EQ(best(), 2);
  EXPECT_THAT(files(), ElementsAre("best.safetensors", "step-00000002.safetensors", "step-00000003.safetensors"));
  save_with_best(4, 4);
  EXPECT_EQ(best(), 4);
  EXPECT_THAT(files(), ElementsAre("best.safetensors", "step-00000004.safetensors"));
}

TEST_F(CheckpointTest, UnsavedBestHasNoLink) {
  const std::array<float, 1> value = {1};
  auto state = state_at(1);
  state.best_step = 1;
  CheckpointFolder few(place(), 1);
  few.save({{"w", {Dtype::kF32, {1}, std::as_bytes(std::span(value))}}}, state);
  state.step = 3;
  state.best_step = 2;
  few.save({{"w", {Dtype::kF32, {1}, std::as_bytes(std::span(value))}}}, state);
  EXPECT_THAT(files(), ElementsAre("step-00000003.safetensors"));
  EXPECT_THAT([&] { few.open("step-00000002.safetensors"); },
              ThrowsMessage<ModelError>(HasSubstr("step-00000002.safetensors: is not there any more")));
}

TEST_F(CheckpointTest, ExistingFileIsNotReplacedByTheLink) {
  fs::create_directories(place());
  std::ofstream(place() / "best.safetensors") << "mine";
  const std::array<float, 1> value = {1};
  auto state = state_at(1);
  state.best_step = 1;
  folder().save({{"w", {Dtype::kF32, {1}, std::as_bytes(std::span(value))}}}, state);
  EXPECT_EQ(fs::file_size(place() / "best.safetensors"), 4);
}

TEST_F(CheckpointTest, OtherFilesAreUntouched) {
  save(1);
  std::ofstream(place() / "notes.txt") << "mine";
  std::ofstream(place() / "step-latest.safetensors") << "mine too";
  save(2, 1);
  EXPECT_THAT(files(), ElementsAre("notes.txt", "step-00000002.safetensors", "step-latest.safetensors"));
  EXPECT_EQ(folder().newest()->state.step, 2);
}

TEST_F(CheckpointTest, DamagedNewestIsSkippedWithTheLostSteps) {
  save(10);
  save(20);
  save(30);
  save(40);
  flip_last_bit(40);
  fs::resize_file(place() / checkpoint_name(30), 100);
  testing::internal::CaptureStderr();
  const auto newest = folder().newest();
  const std::string warning = testing::internal::GetCapturedStderr();
  ASSERT_TRUE(newest.has_value());
  EXPECT_EQ(newest->state.step, 20);
  EXPECT_THAT(warning, AllOf(HasSubstr("step-00000040.safetensors"), HasSubstr("step-00000030.safetensors"),
                             HasSubstr("going on from step 20, 20 steps lost")));
}

TEST_F(CheckpointTest, AnyFlippedBitInTheNewestLoadsThePreviousOne) {
  save(10);
  save(20);
  const auto path = place() / checkpoint_name(20);
  const auto good = read_file(path, 1 << 20);
  for (std::size_t byte = 0; byte < good.size(); ++byte) {
    auto damaged = good;
    damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << byte % 8));
    std::ofstream(path, std::ios::binary) << damaged;
    testing::internal::CaptureStderr();
    const auto newest = folder().newest();
    const auto warning = testing::internal::GetCapturedStderr();
    ASSERT_TRUE(newest.has_value()) << byte;
    EXPECT_EQ(newest->state.step, 10) << byte;
    EXPECT_THAT(warning, HasSubstr("going on from step 10, 10 steps lost")) << byte;
  }
  std::ofstream(path, std::ios::binary) << good;
  EXPECT_EQ(folder().newest()->state.step, 20);
}

TEST_F(CheckpointTest, ContinuedRunRemovesDamagedFile) {
  save(10);
  save(20);
  flip_last_bit(20);
  testing::internal::CaptureStderr();
  EXPECT_EQ(folder().newest()->state.step, 10);
  save(15);
  testing::internal::GetCapturedStderr();
  EXPECT_THAT(files(), ElementsAre("step-00000010.safetensors", "step-00000015.safetensors"));
}

TEST_F(CheckpointTest, OnlyDamagedCheckpointsIsAnError) {
  save(10);
  save(20);
  flip_last_bit(10);
  flip_last_bit(20);
  EXPECT_THAT([&] { folder().newest(); },
              ThrowsMessage<ModelError>(AllOf(HasSubstr("got 2 damaged checkpoints"), HasSubstr("step-00000020"))));
}

TEST_F(CheckpointTest, NewerVersionIsRefusedNamingBoth) {
  save(10);
  const std::array<float, 1> value = {1};
  write_safetensors(place() / checkpoint_name(20), {{"w", {Dtype::kF32, {1}, std::as_bytes(std::span(value))}}},
                    {{"format", "gloss-checkpoint"}, {"format_version", "2"}, {"state", "later"}});
  EXPECT_THAT(
      [&] { folder().newest(); },
      ThrowsMessage<ModelError>(AllOf(HasSubstr("step-00000020"), HasSubstr("format_version: wanted 1, got 2"))));
}

TEST_F(CheckpointTest, FileOfAnotherFormatIsRefused) {
  fs::create_directories(place());
  const std::array<float, 1> value = {1};
  write_safetensors(place() / checkpoint_name(20), {{"w", {Dtype::kF32, {1}, std::as_bytes(std::span(value))}}},
                    {{"format", "gloss-model"}, {"format_version", "1"}});
  EXPECT_THAT([&] { folder().newest(); }, ThrowsMessage<ModelError>(HasSubstr("got gloss-model")));
}

TEST_F(CheckpointTest, StepMustMatchTheName) {
  save(10);
  fs::rename(place() / checkpoint_name(10), place() / checkpoint_name(11));
  EXPECT_THAT([&] { folder().newest(); }, ThrowsMessage<ModelError>(HasSubstr("got step 10")));
}

TEST_F(CheckpointTest, StrayTemporaryFilesAreRemoved) {
  save(10);
  const auto own = ".gloss." + std::to_string(::getpid());  // an ended process may have had this number
  std::ofstream(place() / (own + "-999.tmp")) << "half a checkpoint";
  EXPECT_EQ(folder().newest()->state.step, 10);
  EXPECT_THAT(files(), ElementsAre("step-00000010.safetensors"));
}

TEST_F(CheckpointTest, FailedSaveLeavesTheOlderOnes) {
  save(10);
  fs::create_directory(place() / checkpoint_name(20));
  EXPECT_THROW(save(20, 1), IoError);
  EXPECT_TRUE(files().contains("step-00000010.safetensors"));
}

}  // namespace
}  // namespace gloss
