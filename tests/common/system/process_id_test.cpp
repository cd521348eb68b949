#include "common/system/process_id.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gloss {
namespace {

TEST(ProcessIdTest, DigitsAloneAreANumber) {
  EXPECT_EQ(parse_process_id("4711"), 4711);
  EXPECT_EQ(parse_process_id("0"), 0);
  for (const auto* text : {"", "-1", "12x", " 12", "99999999999999"}) EXPECT_EQ(parse_process_id(text), std::nullopt);
}

TEST(ProcessIdTest, AProcessRunsUntilItsEndIsRead) {
  EXPECT_TRUE(is_running(::getpid()));
  EXPECT_TRUE(is_running(1));  // of another user, as a rule
  EXPECT_FALSE(is_running(0));
  const auto child = ::fork();
  if (child == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(is_running(child));
}

}  // namespace
}  // namespace gloss
