#include "pipeline/config/run_summary.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::ElementsAre;

TEST(RunSummaryTest, CommandsCanBeCopiedToAShell) {
  EXPECT_EQ(resume_command("runs/x"), "gloss train-translate --resume runs/x");
  EXPECT_EQ(resume_command("runs/x", " --threads 1"), "gloss train-translate --resume runs/x --threads 1");
  EXPECT_EQ(shell_quoted("a b"), "'a b'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted("$HOME"), "'$HOME'");
  EXPECT_EQ(shell_quoted(""), "''");
}

TEST(RunSummaryTest, AFinishedRunNamesItsModelAndTheNextCommands) {
  const TemporaryFolder folder;
  std::ofstream(folder / "m") << std::string(1'250'000, 'x');
  EXPECT_THAT(finished_lines("runs/x", folder / "m"),
              ElementsAre("the model is " + (folder / "m").string() + ", 1.2 MiB",
                          "translate with: gloss translate --model runs/x < text",
                          "see how it was trained: gloss explain --run runs/x --output training.html"));
}

}  // namespace
}  // namespace gloss
