#include "common/files/same_file.h"

#include <array>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

namespace fs = std::filesystem;

class SameFileTest : public testing::Test {
 protected:
  SameFileTest() {
    std::ofstream(folder_ / "text") << "a line\n";
    std::ofstream(folder_ / "equal") << "a line\n";
    fs::create_hard_link(folder_ / "text", folder_ / "hard");
    fs::create_symlink("text", folder_ / "soft");
    fs::create_symlink(".", folder_ / "here");
  }

  const TemporaryFolder folder_;
};

TEST_F(SameFileTest, ComparesDeviceAndInode) {
  EXPECT_TRUE(same_file(folder_ / "text", folder_ / "text"));
  EXPECT_TRUE(same_file(folder_ / "text", folder_ / "hard"));
  EXPECT_TRUE(same_file(folder_ / "soft", folder_ / "hard"));
  EXPECT_TRUE(same_file(folder_ / "here/./text", folder_ / "soft"));
  EXPECT_FALSE(same_file(folder_ / "text", folder_ / "equal"));
}

TEST_F(SameFileTest, ComparesThePathsOfFilesThatDoNotExist) {
  EXPECT_TRUE(same_file(folder_ / "new", folder_ / "here/new"));
  EXPECT_FALSE(same_file(folder_ / "new", folder_ / "newer"));
  EXPECT_FALSE(same_file(folder_ / "new", folder_ / "text"));
}

TEST_F(SameFileTest, DevicesAreNeverTheSame) { EXPECT_FALSE(same_file("/dev/null", "/dev/null")); }

TEST_F(SameFileTest, RefusesAnOutputThatIsRead) {
  const std::vector<NamedFile> inputs = {{"--source", folder_ / "equal"}, {"--target", folder_ / "soft"}};
  EXPECT_THAT(
      [&] {
        expect_no_input({"--output", folder_ / "hard"}, inputs);
      },
      ThrowsMessage<UsageError>(AllOf(HasSubstr("--output ("), HasSubstr("hard) is the same file as --target"),
                                      HasSubstr("soft), which is read"))));
  EXPECT_NO_THROW(expect_no_input({"--output", folder_ / "new"}, inputs));
}

TEST_F(SameFileTest, RefusesTwoOutputsInOneFile) {
  const std::array same{NamedFile{"--output", folder_ / "new"}, NamedFile{"--log-json", folder_ / "here/new"}};
  EXPECT_THAT([&] { expect_distinct(same); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("--output"), HasSubstr("--log-json"))));
  const std::array other{NamedFile{"--output", folder_ / "new"}, NamedFile{"--log-json", folder_ / "newer"}};
  EXPECT_NO_THROW(expect_distinct(other));
}

class FileStampTest : public testing::Test {
 protected:
  FileStampTest() { write("text"); }
  void write(const std::string& text) const { std::ofstream(path_) << text; }
  FileStamp stamp() const { return FileStamp::of(path_); }

  const TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_ / "file";
};

TEST_F(FileStampTest, HasTheValuesOfTheFileSystem) {
  write("longer text");
  const timespec modified{1'000'000'000, 7}, times[]{modified, modified};
  ASSERT_EQ(::utimensat(AT_FDCWD, path_.c_str(), times, 0), 0);
  struct stat status {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(stamp().device, status.st_dev);
  EXPECT_EQ(stamp().inode, status.st_ino);
  EXPECT_EQ(stamp().size, 11u);
  EXPECT_EQ(stamp().modified, 1'000'000'000'000'000'007);
  EXPECT_EQ(stamp().changed, status.st_ctim.tv_sec * 1'000'000'000 + status.st_ctim.tv_nsec);
}

TEST_F(FileStampTest, UnchangedFileKeepsItsStamp) {
  const auto before = stamp();
  EXPECT_EQ(before.size, 4u);
  std::ifstream file(path_);
  std::string text;
  file >> text;
  EXPECT_EQ(stamp(), before);
}

TEST_F(FileStampTest, ChangesWithSizeInodeAndTimes) {
  const auto before = stamp();
  write("longer text");
  EXPECT_NE(stamp(), before);
  write("text");
  std::filesystem::rename(path_, folder_ / "old");
  write("text");
  EXPECT_NE(stamp(), before) << "another file of the same name";
}

TEST_F(FileStampTest, ResettingTheTimeChangesTheStamp) {
  const auto before = stamp();
  constexpr int kMaxTries = 100'000;  // enough for the file system's clock to tick
  int tries = 0;
  do {
    write("next");  // same length
    const timespec put_back{before.modified / 1'000'000'000, before.modified % 1'000'000'000};
    const timespec times[]{put_back, put_back};
    ASSERT_EQ(::utimensat(AT_FDCWD, path_.c_str(), times, 0), 0);
    ASSERT_EQ(stamp().modified, before.modified);
  } while (stamp().changed == before.changed && ++tries < kMaxTries);
  EXPECT_NE(stamp(), before);
}

TEST_F(FileStampTest, IsSettledTwoSecondsAfterTheLastChange) {
  const auto last = std::chrono::system_clock::time_point(
      std::chrono::duration_cast<std::chrono::system_clock::duration>(std::chrono::nanoseconds(stamp().changed)));
  EXPECT_FALSE(stamp().settled(last));
  EXPECT_FALSE(stamp().settled(last + 1s));
  EXPECT_TRUE(stamp().settled(last + 2s));
  for (const auto member : {&FileStamp::modified, &FileStamp::changed}) {
    FileStamp later{.modified = 0, .changed = 0};
    later.*member = std::chrono::nanoseconds(5s).count();
    EXPECT_FALSE(later.settled(std::chrono::system_clock::time_point(6s)));
    EXPECT_TRUE(later.settled(std::chrono::system_clock::time_point(7s)));
  }
}

TEST_F(FileStampTest, MissingFileIsAnIoError) { EXPECT_THROW(FileStamp::of(folder_ / "none"), IoError); }

}  // namespace
}  // namespace gloss
