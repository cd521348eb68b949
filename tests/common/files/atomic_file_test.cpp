#include "common/files/atomic_file.h"

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;
using testing::UnorderedElementsAre;

class AtomicFileTest : public testing::Test {
 protected:
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      names.push_back(entry.path().filename());
    return names;
  }
  bool has_nameless_files() const {
    const Descriptor file(::open(folder_.path().c_str(), O_WRONLY | O_TMPFILE, 0600));
    return file.is_open();
  }
  std::string text(const std::string& name) const { return read_file(folder_ / name, 1'000'000); }

  TemporaryFolder folder_;
};

TEST_F(AtomicFileTest, AppearsOnlyWhenCommitted) {
  write_file(folder_ / "model", "older");
  AtomicFile file(folder_ / "model");
  file.write("new");
  file.write("er");
  EXPECT_EQ(text("model"), "older");
  file.commit();
  EXPECT_EQ(text("model"), "newer");
  EXPECT_THAT(names(), ElementsAre("model"));
}

TEST_F(AtomicFileTest, WithoutCommitNothingIsLeft) {
  write_file(folder_ / "model", "older");
  { AtomicFile(folder_ / "model").write("newer"); }
  EXPECT_EQ(text("model"), "older");
  EXPECT_THAT(names(), ElementsAre("model"));
}

TEST_F(AtomicFileTest, FailedWriteKeepsTheOldFileAndLaterCallsFail) {
  write_file(folder_ / "model", "older");
  const auto save = [&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{100, 100};
    ::setrlimit(RLIMIT_FSIZE, &small);
    AtomicFile file(folder_ / "model");
    file.write("newer");
    int failures = 0;
    for (int i = 0; i < 2; ++i) {
      try {
        file.write(std::string(1'000, 'x'));
      } catch (const IoError& error) {
        failures += i > 0 || std::string(error.what()).ends_with("model: cannot write: File too large");
      }
    }
    try {
      file.commit();
    } catch (const IoError&) {
      ++failures;
    }
    std::_Exit(failures == 3 && names() == std::vector<std::string>{"model"} ? 0 : 1);
  };
  EXPECT_EXIT(save(), testing::ExitedWithCode(0), "");
  EXPECT_EQ(text("model"), "older");
  EXPECT_THAT(names(), ElementsAre("model"));
}

TEST_F(AtomicFileTest, FailedRenameLeavesNoTemporaryFile) {
  AtomicFile file(folder_ / "model");
  file.write("newer");
  std::filesystem::create_directory(folder_ / "model");
  EXPECT_THAT([&] { file.commit(); },
              ThrowsMessage<IoError>(HasSubstr("model: cannot rename into place: Is a directory")));
  EXPECT_THAT(names(), ElementsAre("model"));
}

TEST_F(AtomicFileTest, FoldersAndDevicesAreNotReplaced) {
  const auto refused = ThrowsMessage<IoError>(HasSubstr("wanted a file's name, got a folder or a device"));
  EXPECT_THAT([&] { AtomicFile file(folder_.path()); }, refused);
  std::filesystem::create_symlink("/dev/null", folder_ / "link");
  EXPECT_THAT([&] { AtomicFile file(folder_ / "link"); }, refused);
  EXPECT_THAT([&] { AtomicFile file(folder_ / "absent" / "model"); },
              ThrowsMessage<IoError>(HasSubstr("absent/model: cannot create: No such file or directory")));
  EXPECT_THAT([&] { AtomicFile file(""); }, testing::Throws<IoError>());
}

TEST_F(AtomicFileTest, SymbolicLinkIsKeptAndItsTargetReplaced) {
  std::filesystem::create_directory(folder_ / "store");
  write_file(folder_ / "store" / "model", "older");
  std::filesystem::create_symlink("store/model", folder_ / "latest");
  write_file(folder_ / "latest", "newer");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "latest"));
  EXPECT_EQ(text("store/model"), "newer");
}

TEST_F(AtomicFileTest, DanglingLinkIsKeptAndItsTargetCreated) {
  std::filesystem::create_directory(folder_ / "store");
  std::filesystem::create_symlink("model", folder_ / "store" / "current");
  std::filesystem::create_symlink("store/current", folder_ / "latest");
  std::filesystem::create_symlink((folder_ / "absolute").string(), folder_ / "other");
  write_file(folder_ / "latest", "new");
  write_file(folder_ / "other", "new too");
  for (const auto* link : {"latest", "store/current", "other"})
    EXPECT_TRUE(std::filesystem::is_symlink(folder_ / link)) << link;
  EXPECT_EQ(text("store/model"), "new");
  EXPECT_EQ(text("absolute"), "new too");
}

TEST_F(AtomicFileTest, CircularLinksAreRefused) {
  std::filesystem::create_symlink("b", folder_ / "a");
  std::filesystem::create_symlink("a", folder_ / "b");
  EXPECT_THAT([&] { AtomicFile file(folder_ / "a"); }, ThrowsMessage<IoError>(HasSubstr("lead to each other")));
}

TEST_F(AtomicFileTest, PermissionsFollowTheUmask) {
  const auto before = ::umask(027);
  write_file(folder_ / "model", "x");
  ::umask(before);
  struct stat status {};
  ASSERT_EQ(::stat((folder_ / "model").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST_F(AtomicFileTest, ReplacedFileKeepsItsPermissions) {
  for (const mode_t mode : {0600U, 0755U}) {
    write_file(folder_ / "model", "x");
    ASSERT_EQ(::chmod((folder_ / "model").c_str(), mode), 0);
    write_file(folder_ / "model", "y");
    struct stat status {};
    ASSERT_EQ(::stat((folder_ / "model").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, mode);
  }
}

TEST_F(AtomicFileTest, ConcurrentWritersDoNotInterfere) {
  AtomicFile first(folder_ / "model"), second(folder_ / "model");
  first.write("first");
  second.write("second");
  first.commit();
  EXPECT_EQ(text("model"), "first");
  second.commit();
  EXPECT_EQ(text("model"), "second");
}

TEST_F(AtomicFileTest, AcceptsTheLongestFileName) {
  for (std::size_t length = 240; length <= 255; ++length) {
    const std::string name(length, 'n');
    write_file(folder_ / name, "text");
    EXPECT_EQ(text(name), "text") << length;
  }
  EXPECT_THROW(write_file(folder_ / std::string(256, 'n'), "text"), IoError);
}

// The number of a process that has ended.
pid_t dead_process() {
  const auto child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST_F(AtomicFileTest, StrayTemporariesAreRemovedAndNothingElse) {
  const auto dead = std::to_string(dead_process()), parent = std::to_string(::getppid());
  const std::vector<std::string> kept = {"model",
                                         ".lock",
                                         "a.tmp",
                                         ".gloss.tmp",
                                         ".gloss.12.tmp",
                                         ".gloss.-.tmp",
                                         ".gloss.1x-2.tmp",
                                         ".gloss.1-2x.tmp",
                                         ".gloss." + parent + "-1.tmp",  // of a process that lives
                                         ".notes." + dead + "-11.tmp",   // of another program
                                         "gloss." + dead + "-2.tmp"};
  for (const auto& name : kept) std::ofstream(folder_ / name) << "x";
  std::ofstream(folder_ / (".gloss." + dead + "-4.tmp")) << "x";
  std::ofstream(folder_ / (".gloss." + std::to_string(::getpid()) + "-4.tmp")) << "x";
  const auto folder = ".gloss." + dead + "-5.tmp";
  std::filesystem::create_directory(folder_ / folder);
  EXPECT_EQ(remove_stray_temporaries(folder_.path()), 2);
  auto expected = kept;
  expected.push_back(folder);
  EXPECT_THAT(names(), testing::UnorderedElementsAreArray(expected));
  EXPECT_THROW(remove_stray_temporaries(folder_ / "absent"), IoError);
}

TEST_F(AtomicFileTest, KilledWriterLeavesNothing) {
  if (!has_nameless_files()) GTEST_SKIP() << "this file system has no O_TMPFILE";
  const auto die = [&] {
    AtomicFile file(folder_ / "model");
    file.write("newer");
    ::raise(SIGINT);
  };
  EXPECT_EXIT(die(), testing::KilledBySignal(SIGINT), "");
  EXPECT_THAT(names(), ElementsAre());
}

// Without /proc a file has a temporary name from the beginning.
TEST_F(AtomicFileTest, NamedTemporariesOfKilledWritersAreRecognized) {
  const auto die = [&] {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 || ::mount("none", "/proc", "tmpfs", 0, nullptr) != 0)
      std::_Exit(77);
    write_file(folder_ / "whole", "text");
    write_file(folder_ / std::string(255, 'n'), "text");
    AtomicFile file(folder_ / "model");
    file.write("newer");
    std::_Exit(0);
  };
  const auto child = ::fork();
  if (child == 0) die();
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no name spaces here";
  EXPECT_EQ(status, 0);
  EXPECT_THAT(names(), UnorderedElementsAre("whole", std::string(255, 'n'), StartsWith(".gloss.")));
  EXPECT_EQ(text("whole"), "text");
  EXPECT_EQ(remove_stray_temporaries(folder_.path()), 1);
  EXPECT_THAT(names(), UnorderedElementsAre("whole", std::string(255, 'n')));
}

TEST_F(AtomicFileTest, ReadsWholeFilesUpToALimit) {
  const std::string bytes("a\0b\n", 4);
  write_file(folder_ / "file", bytes);
  EXPECT_EQ(read_file(folder_ / "file", 4), bytes);
  EXPECT_THAT([&] { read_file(folder_ / "file", 3); },
              ThrowsMessage<DataError>(HasSubstr("file: wanted at most 3 bytes, got more")));
  EXPECT_FALSE(read_file("/proc/self/status", 1'000'000).empty());  // its reported size is 0
  EXPECT_THROW(read_file("/proc/self/status", 10), DataError);
  EXPECT_THAT([&] { read_file(folder_.path(), 10); }, ThrowsMessage<DataError>(HasSubstr("wanted a regular file")));
  EXPECT_THROW(read_file("/dev/zero", 10), DataError);
  EXPECT_THROW(read_file(folder_ / "absent", 10), IoError);
}

TEST_F(AtomicFileTest, CanBeReadBeforeCommit) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "file");
  file.write("written so far");
  std::string text(100, '\0');
  text.resize(read_up_to(file.open_for_reading(), std::as_writable_bytes(std::span(text)), "file"));
  EXPECT_EQ(text, "written so far");
  EXPECT_FALSE(std::filesystem::exists(folder / "file"));
  file.commit();
  EXPECT_EQ(read_file(folder / "file", 100), "written so far");
}

}  // namespace
}  // namespace gloss
