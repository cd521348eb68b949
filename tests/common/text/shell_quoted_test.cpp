#include "common/text/shell_quoted.h"

#include <gtest/gtest.h>

namespace gloss {
namespace {

TEST(ShellQuotedTest, QuotesWhatAShellWouldChange) {
  EXPECT_EQ(shell_quoted("runs/x-1.json"), "runs/x-1.json");
  EXPECT_EQ(shell_quoted("a b"), "'a b'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted("$HOME"), "'$HOME'");
  EXPECT_EQ(shell_quoted(""), "''");
}

}  // namespace
}  // namespace gloss
