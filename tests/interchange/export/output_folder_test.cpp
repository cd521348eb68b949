#include "interchange/export/output_folder.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/files/file_lock.h"
#include "tests/run/small_job.h"
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
  // printf '# Title\n' | sha256sum; printf one | sha256sum
  EXPECT_EQ(text_of_file(out_ / "README.md"),
            "<!-- gloss export wrote: README.md a.txt -->\n"
            "<!-- SHA-256: e01b17ff9af77056792f67c57e3d1908795b9d1ae4cfe72421d0a2838991b740 "
            "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed -->\n"
            "# Title\n");
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

// The file of the same name is a model of the user's by now.
TEST_F(OutputFolderTest, ChangedFilesAreNeverReplaced) {
  for (const std::string name : {"a.txt", "README.md"}) {
    write("one");
    std::ofstream(out_ / name, std::ios::app) << "mine";
    const auto changed = text_of_file(out_ / name);
    EXPECT_THAT([&] { write("two", true); },
                ThrowsMessage<UsageError>(HasSubstr(name + ", which no export wrote, so it is not replaced")));
    EXPECT_EQ(text_of_file(out_ / name), changed);
    fs::remove_all(out_);
  }
}

TEST_F(OutputFolderTest, AFileThatIsReadIsNeverReplaced) {
  write("one");
  fs::create_hard_link(out_ / "a.txt", folder_ / "hard");
  fs::create_symlink("out/a.txt", folder_ / "soft");
  fs::create_directory_symlink("out", folder_ / "link");
  for (const auto& input : {out_ / "a.txt", folder_ / "hard", folder_ / "soft", folder_ / "link" / "a.txt"})
    EXPECT_THAT(
        [&] {
          OutputFolder(out_, true, {{"--model", input}});
        },
        ThrowsMessage<UsageError>(HasSubstr("is the same file as --model")));
  EXPECT_EQ(text_of_file(out_ / "a.txt"), "one");
}

TEST_F(OutputFolderTest, AnExportOfAnEarlyVersionIsReplaced) {
  fs::create_directory(out_);
  write_file(out_ / "a.txt", "old");
  write_file(out_ / "README.md", "<!-- gloss export wrote: README.md a.txt -->\n# Title\n");
  write("two", true);
  EXPECT_EQ(text_of_file(out_ / "a.txt"), "two");
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

// A lock shows whether the process is alive, even if it runs on another machine and has a number of this one.
TEST_F(OutputFolderTest, FoldersOfKilledProcessesAreRemoved) {
  const auto make = [&](const std::string& name) {
    fs::create_directory(folder_ / name);
    write_file(folder_ / name / "model.bin", "half");
    return folder_ / name;
  };
  const auto killed = make(".gloss-export.1.tmp"), alive = make(".gloss-export.2.tmp"),
             unlocked = make(".gloss-export.4194305.tmp"), elsewhere = make("elsewhere");
  const auto linked = folder_ / ".gloss-export.3.tmp";
  for (const auto& folder : {killed, elsewhere}) write_file(folder / ".lock", "1");
  fs::create_directory_symlink("elsewhere", linked);
  const FileLock lock(alive);
  write("one");
  EXPECT_FALSE(fs::exists(killed));
  for (const auto& kept : {alive, unlocked, linked}) EXPECT_TRUE(fs::exists(kept / "model.bin")) << kept;
}

TEST_F(OutputFolderTest, AParentThatIsAFileIsAnIoError) {
  write_file(folder_ / "file", "");
  out_ = folder_ / "file" / "out";
  EXPECT_THROW(write("one"), IoError);
}

}  // namespace
}  // namespace gloss
