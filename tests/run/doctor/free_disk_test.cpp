#include "run/doctor/free_disk.h"

#include <gtest/gtest.h>

namespace gloss {
namespace {

TEST(FreeDiskTest, IsThatOfTheFolderOrOfItsNearestExistingParent) {
  const auto there = std::filesystem::temp_directory_path();
  EXPECT_GT(free_disk(there), 0);
  EXPECT_GT(free_disk(there / "not" / "there"), 0);
}

}  // namespace
}  // namespace gloss
