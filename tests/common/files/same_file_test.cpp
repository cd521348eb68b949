#include "common/files/same_file.h"

#include <array>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

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

}  // namespace
}  // namespace gloss
