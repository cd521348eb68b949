#include "common/text/line_counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace gloss {
namespace {

TEST(LineCountsTest, MessageHasBothNamesAndNumbers) {
  EXPECT_NO_THROW(expect_equal_lines("a", 3, "b", 3));
  EXPECT_THAT(
      [] { expect_equal_lines("a\x1b", 3, "b", 4); },
      testing::ThrowsMessage<DataError>("a\\x1b has 3 lines, b 4; line n of one must belong to line n of the other"));
}

}  // namespace
}  // namespace gloss
