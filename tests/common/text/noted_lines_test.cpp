#include "common/text/noted_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gloss {
namespace {

TEST(NotedLinesTest, CountsAllAndStoresTheFirstFive) {
  NotedLines lines;
  lines.note(3);
  EXPECT_EQ(lines.text(), "first lines: 3");
  for (const int line : {7, 9, 10, 12, 15, 400}) lines.note(line);
  EXPECT_EQ(lines.count, 7);
  EXPECT_EQ(lines.text(), "first lines: 3, 7, 9, 10, 12");
}

}  // namespace
}  // namespace gloss
