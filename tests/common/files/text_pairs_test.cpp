#include "common/files/text_pairs.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class TextPairsTest : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& name, const std::vector<std::string>& lines) const {
    std::ofstream text(folder_ / name);
    for (const auto& line : lines) text << line << '\n';
    return folder_ / name;
  }

  TemporaryFolder folder_;
};

TEST_F(TextPairsTest, UnequalCountsOfLinesAreRefusedNamingBoth) {
  const auto two = file("two", {"a", "b"}), three = file("three", {"a", "b", "c"});
  EXPECT_THAT([&] { read_line_pairs(two, three); },
              ThrowsMessage<DataError>(AllOf(HasSubstr("two has 2 lines"), HasSubstr("three 3;"))));
  EXPECT_THAT([&] { read_line_pairs(three, two); },
              ThrowsMessage<DataError>(AllOf(HasSubstr("three has 3 lines"), HasSubstr("two 2;"))));
}

TEST_F(TextPairsTest, NoLineOfAScoredTextIsLeftOut) {
  testing::internal::CaptureStderr();
  EXPECT_THAT(read_lines(file("f", {"", "\xFF", "c", ""})), ElementsAre("", "\uFFFD", "c", ""));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("1 line not valid UTF-8"));
  EXPECT_THAT(
      [&] {
        read_lines(file("f", {"a", std::string(LineReader::kMaxLineBytes + 1, 'x')}));
      },
      ThrowsMessage<DataError>(HasSubstr("line 2 is longer than")));
}

}  // namespace
}  // namespace gloss
