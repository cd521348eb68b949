#include "run/doctor/run_remarks.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(RunRemarksTest, MemoryAndDiskThatAreShortAreTold) {
  MachineReport machine;
  machine.usable_memory = 4000;
  machine.free_memory = 3000;
  RunNeeds run;
  run.training.tried = true;
  run.training.weights = 1000;
  run.training.batches = 1000;
  run.training.model_file = 500;
  run.disk_free = 600;
  EXPECT_THAT(remarks_on(run, machine), IsEmpty());
  run.training.batches = 2500;
  auto remarks = remarks_on(run, machine);
  ASSERT_THAT(remarks,
              ElementsAre(testing::Field(&Remark::message, HasSubstr("are free now; lower data.batch_tokens"))));
  EXPECT_FALSE(remarks[0].failure.has_value());
  run.training.batches = 3500;
  EXPECT_THAT(remarks_on(run, machine), ElementsAre(testing::Field(&Remark::failure, ExitCode::kOutOfMemory)));
  run.training.tried = false;
  EXPECT_THAT(remarks_on(run, machine),
              ElementsAre(testing::Field(&Remark::message, HasSubstr("needs at least 0.0 MiB"))));
  run.training.tried = true;
  run.training.batches = 0;
  run.disk_free = 400;
  EXPECT_THAT(remarks_on(run, machine), ElementsAre(testing::Field(&Remark::failure, ExitCode::kIo)));
}

TEST(FreeDiskTest, IsThatOfTheFolderOrOfItsNearestExistingParent) {
  const auto there = std::filesystem::temp_directory_path();
  EXPECT_GT(free_disk(there), 0);
  EXPECT_GT(free_disk(there / "not" / "there"), 0);
}

}  // namespace
}  // namespace gloss
