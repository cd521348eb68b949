#include "common/file_stamp.h"

#include <fstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using namespace std::chrono_literals;

class FileStampTest : public testing::Test {
 protected:
  FileStampTest() { write("text"); }
  void write(const std::string& text) const { std::ofstream(path_) << text; }
  FileStamp stamp() const { return FileStamp::of(path_); }

  const TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_ / "file";
};

TEST_F(FileStampTest, StaysWhileNobodyChangesTheFile) {
  const auto before = stamp();
  EXPECT_EQ(before.size, 4u);
  std::ifstream file(path_);
  std::string text;
  file >> text;
  EXPECT_EQ(stamp(), before);
}

TEST_F(FileStampTest, ChangesWithLengthPlaceAndTimes) {
  const auto before = stamp();
  write("longer text");
  EXPECT_NE(stamp(), before);
  write("text");
  std::filesystem::rename(path_, folder_ / "old");
  write("text");
  EXPECT_NE(stamp(), before) << "another file of the same name";
}

TEST_F(FileStampTest, OfAFileWhoseTimeWasPutBackIsAnother) {
  const auto before = stamp();
  do {
    write("next");  // as long; until the clock of the file system has ticked
    const timespec put_back{before.modified / 1'000'000'000, before.modified % 1'000'000'000};
    const timespec times[]{put_back, put_back};
    ASSERT_EQ(::utimensat(AT_FDCWD, path_.c_str(), times, 0), 0);
    ASSERT_EQ(stamp().modified, before.modified);
  } while (stamp().changed == before.changed);
  EXPECT_NE(stamp(), before);
}

TEST_F(FileStampTest, IsSettledTwoSecondsBehindTheLastChange) {
  const auto last = std::chrono::system_clock::time_point(
      std::chrono::duration_cast<std::chrono::system_clock::duration>(std::chrono::nanoseconds(stamp().changed)));
  EXPECT_FALSE(stamp().settled(last));
  EXPECT_FALSE(stamp().settled(last + 1s));
  EXPECT_TRUE(stamp().settled(last + 2s));
}

TEST_F(FileStampTest, OfNoFileIsAnIoError) { EXPECT_THROW(FileStamp::of(folder_ / "none"), IoError); }

}  // namespace
}  // namespace gloss
