#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/files/atomic_file.h"
#include "tests/app/support/process.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

/// The shared libraries that the loader finds for a program, as ldd prints them.
std::string libraries_of(const std::string& program) {
  const EnvironmentVariable list_only("LD_TRACE_LOADED_OBJECTS", "1");
  Process process({}, {.launcher = {program}});
  return process.wait().out;
}

/// Runs a shell script in which $1 is the program and $2 `folder`.
Outcome run_script(const std::string& script, const fs::path& folder) {
  Process process({folder.string()}, {.launcher = {"sh", "-c", script, "sh"}});
  return process.wait();
}

TEST(LauncherTest, OnlyTheProgramThatRunsCommandsLoadsLibTorch) {
  EXPECT_THAT(libraries_of(GLOSS_RUN_PROGRAM), AllOf(HasSubstr("libtorch"), HasSubstr("libc10")));
  EXPECT_THAT(libraries_of(GLOSS_PROGRAM),
              AllOf(HasSubstr("libstdc++"), Not(HasSubstr("libtorch")), Not(HasSubstr("libc10"))));
}

TEST(LauncherTest, CommandsRunHoweverTheProgramIsCalled) {
  for (const std::string call : {"cd \"$2\" && ln -s \"$1\" link && ./link", "PATH=$(dirname \"$1\"):$PATH && gloss",
                                 "cd \"$(dirname \"$1\")\" && ./gloss", "cd \"$(dirname \"$1\")/..\" && app/gloss",
                                 "cd \"$2\" && ln -s \"$(dirname \"$1\")\" folder && cd / && \"$2/folder/gloss\"",
                                 "cd \"$2\" && exec -a other \"$1\""}) {
    SCOPED_TRACE(call);
    const TemporaryFolder folder;
    const bool needs_bash = call.find("exec -a") != call.npos;
    const auto script = call + " make-corpus copy --size 20 --out \"$2/corpus\"";
    Process process({folder.path().string()}, {.launcher = {needs_bash ? "bash" : "sh", "-c", script, "sh"}});
    const auto outcome = process.wait();
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(fs::exists(folder / "corpus/train.source"));
  }
}

TEST(LauncherTest, ACommandKeepsProcessNameAndDescriptors) {
  const TemporaryFolder folder;
  write_file(folder / "reference", "one\n");
  Process process({"evaluate", "--reference", folder / "reference"});
  const fs::path links = "/proc/" + std::to_string(process.id());
  if (!fs::exists(links)) GTEST_SKIP() << "no /proc";
  const auto expected = fs::canonical(GLOSS_RUN_PROGRAM);
  std::error_code error;
  const auto has_begun = [&] {  // the program names its process when its libraries are loaded
    return fs::read_symlink(links / "exe", error) == expected && read_file(links / "comm", 100) == "gloss\n";
  };
  for (int i = 0; i < 1000 && !has_begun(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(fs::read_symlink(links / "exe", error), expected);
  EXPECT_EQ(read_file(links / "comm", 100), "gloss\n");
  process.write("one\n");
  const auto outcome = process.wait();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("BLEU"));
}

TEST(LauncherTest, HelpNeedsNoSecondProgramAndCommandsNameTheMissingOne) {
  const TemporaryFolder folder;
  const auto copied =
      run_script("cp \"$1\" \"$2/gloss\" && \"$2/gloss\" --version && exec \"$2/gloss\" doctor", folder.path());
  EXPECT_EQ(copied.exit_code, 4);
  EXPECT_THAT(copied.out, HasSubstr("LibTorch"));
  EXPECT_THAT(copied.err, AllOf(HasSubstr("gloss: there is no program "), HasSubstr("install gloss again")));
}

}  // namespace
}  // namespace gloss
