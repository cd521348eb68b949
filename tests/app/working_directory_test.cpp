#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Ended {
  int exit_code = -1;
  std::string text;  ///< of stdout and stderr
};

/// Runs the program in a folder that has been removed.
Ended run_in_removed_folder(const std::string& arguments) {
  const TemporaryFolder parent;
  const auto folder = (parent / "removed").string();
  const auto command = "mkdir '" + folder + "' && cd '" + folder + "' && rmdir '" + folder + "' && exec '" +
                       std::string(GLOSS_PROGRAM) + "' " + arguments + " </dev/null 2>&1";
  Ended ended;
  auto* const output = ::popen(command.c_str(), "r");
  if (output == nullptr) return ended;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), output) != nullptr) ended.text += buffer.data();
  const int status = ::pclose(output);
  ended.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ended;
}

TEST(WorkingDirectoryTest, CommandsRefuseOneThatWasRemoved) {
  for (const std::string command :
       {"doctor", "translate --model /no/such/model", "inspect /no/such/model", "train --config /no/such/run.json"}) {
    const auto [exit_code, text] = run_in_removed_folder(command);
    EXPECT_EQ(exit_code, 4) << command << ": " << text;
    EXPECT_EQ(text, "gloss: the working directory has been removed: change to a folder that is there, and try again\n");
  }
}

TEST(WorkingDirectoryTest, HelpAndVersionNeedNone) {
  const auto version = run_in_removed_folder("--version");
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_THAT(version.text, StartsWith("gloss "));
  const auto help = run_in_removed_folder("translate --help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.text, HasSubstr("--beam"));
}

}  // namespace
}  // namespace gloss
