#include "common/files/file_lock.h"

#include <array>
#include <cstdlib>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(FileLockTest, ErrorNamesTheHolderWhoseDeathReleasesTheLock) {
  const TemporaryFolder folder;
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  const auto child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const FileLock lock(folder.path());
    [[maybe_unused]] const auto written = ::write(ready[1], "x", 1);
    while (true) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_THAT([&] { FileLock lock(folder.path()); },
              ThrowsMessage<LockedError>(AllOf(HasSubstr(folder.path().string()),
                                               HasSubstr("process " + std::to_string(child) + " is using it"))));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_NO_THROW(FileLock lock(folder.path()));
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(FileLockTest, DestructorReleasesTheLock) {
  const TemporaryFolder folder;
  {
    const FileLock lock(folder.path());
    EXPECT_THROW(FileLock second(folder.path()), LockedError);
    std::ifstream file(folder / ".lock");
    int number = 0;
    file >> number;
    EXPECT_EQ(number, ::getpid());
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_NO_THROW(FileLock again(folder.path()));
}

// The owner of a folder removes its lock before it finishes: another process must not make one in its place.
TEST(FileLockTest, ALockThatWasRemovedIsNotMadeAnew) {
  const TemporaryFolder folder;
  EXPECT_THAT([&] { FileLock lock(folder.path(), FileLock::kExisting); },
              ThrowsMessage<IoError>(HasSubstr(".lock: cannot open: No such file")));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  std::ofstream(folder / ".lock") << "1";
  EXPECT_NO_THROW(FileLock lock(folder.path(), FileLock::kExisting));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(FileLockTest, MissingFolderIsAnError) {
  const TemporaryFolder folder;
  EXPECT_THAT([&] { FileLock lock(folder / "absent"); },
              ThrowsMessage<IoError>(HasSubstr("absent/.lock: cannot open: No such file")));
}

}  // namespace
}  // namespace gloss
