#include "pipeline/interchange/export/output_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "tests/pipeline/small_job.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;
using testing::StartsWith;
using testing::ThrowsMessage;

class OutputFolderTest : public testing::Test {
 protected:
  void write(const std::string& text, bool overwrite = false) const {
    OutputFolder folder(out_, overwrite);
    write_file(folder.file("a.txt"), text);
    folder.commit("# Title\n");
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }

  TemporaryFolder folder_;
  fs::path out_ = folder_ / "out";
};

TEST_F(OutputFolderTest, AppearsWithAllFilesAndNothingElse) {
  write("one");
  EXPECT_EQ(text_of_file(out_ / "a.txt"), "one");
  EXPECT_EQ(text_of_file(out_ / "README.md"), "<!-- gloss export wrote: README.md a.txt -->\n# Title\n");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(OutputFolderTest, MissingParentsAreMade) {
  out_ = folder_ / "a" / "b" / "";
  write("one");
  EXPECT_EQ(text_of_file(folder_ / "a" / "b" / "a.txt"), "one");
}

TEST_F(OutputFolderTest, WithoutCommitNothingIsLeft) {
  {
    OutputFolder folder(out_, false);
    write_file(folder.file("a.txt"), "x");
    EXPECT_FALSE(fs::exists(out_));
  }
  EXPECT_EQ(entries(), 0u);
}

TEST_F(OutputFolderTest, AnEarlierExportIsReplacedOnRequestOnly) {
  write("one");
  EXPECT_THAT([&] { write("two"); }, ThrowsMessage<UsageError>(HasSubstr("--overwrite")));
  EXPECT_EQ(text_of_file(out_ / "a.txt"), "one");
  write("two", true);
  EXPECT_EQ(text_of_file(out_ / "a.txt"), "two");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(OutputFolderTest, AnEmptyFolderIsFilled) {
  fs::create_directory(out_);
  write("one");
  EXPECT_EQ(text_of_file(out_ / "a.txt"), "one");
}

// A wrong --output with --overwrite must not remove a user's files.
TEST_F(OutputFolderTest, FilesOfOthersAreNeverReplaced) {
  fs::create_directory(out_);
  write_file(out_ / "mine", "mine");
  EXPECT_THAT([&] { write("one", true); }, ThrowsMessage<UsageError>(HasSubstr("mine, which no export wrote")));
  fs::remove_all(out_);
  write("one");
  write_file(out_ / "mine", "mine");
  EXPECT_THROW(write("two", true), UsageError);
  fs::remove(out_ / "mine");
  fs::create_directory(out_ / "sub");
  EXPECT_THROW(write("two", true), UsageError);
  EXPECT_EQ(text_of_file(out_ / "a.txt"), "one");
}

// Writing takes minutes; another program may write to the same place meanwhile.
TEST_F(OutputFolderTest, FilesThatAppearWhileItIsWrittenAreKept) {
  for (const bool overwrite : {false, true}) {
    OutputFolder folder(out_, overwrite);
    write_file(folder.file("a.txt"), "one");
    fs::create_directory(out_);
    write_file(out_ / "mine", "mine");
    EXPECT_THROW(folder.commit("# Title\n"), UsageError);
    EXPECT_EQ(text_of_file(out_ / "mine"), "mine");
    fs::remove_all(out_);
  }
}

TEST_F(OutputFolderTest, AFileIsNoFolder) {
  write_file(out_, "mine");
  EXPECT_THAT([&] { write("one", true); },
              ThrowsMessage<UsageError>(StartsWith("--output: wanted the name of a folder")));
  EXPECT_EQ(text_of_file(out_), "mine");
}

TEST_F(OutputFolderTest, ALinkToAFolderIsKept) {
  write("one");
  fs::create_directory_symlink("out", folder_ / "link");
  out_ = folder_ / "link";
  write("two", true);
  EXPECT_TRUE(fs::is_symlink(out_));
  EXPECT_EQ(text_of_file(folder_ / "out" / "a.txt"), "two");
}

TEST_F(OutputFolderTest, FoldersOfKilledProcessesAreRemoved) {
  // Linux gives no process a number above 2^22.
  const auto stray = folder_ / ".gloss-export.4194305.tmp", other = folder_ / ".gloss-export.1.tmp";
  fs::create_directory(stray);
  write_file(stray / "model.bin", "half");
  fs::create_directory(other);  // of a process that is alive
  write("one");
  EXPECT_FALSE(fs::exists(stray));
  EXPECT_TRUE(fs::exists(other));
}

TEST_F(OutputFolderTest, AParentThatIsAFileIsAnIoError) {
  write_file(folder_ / "file", "");
  out_ = folder_ / "file" / "out";
  EXPECT_THROW(write("one"), IoError);
}

}  // namespace
}  // namespace gloss
