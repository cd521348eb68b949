#include "common/files/text_path.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class TextPathTest : public testing::Test {
 protected:
  TextPathTest() {
    std::ofstream(folder_ / "pairs.tsv") << "a\tb\n";
    std::ofstream(folder_ / "odd:1") << "a\n";
  }
  TextPath of(const std::string& name) { return TextPath::of(folder_ / name); }

  TemporaryFolder folder_;
};

TEST_F(TextPathTest, NumberAfterAColonIsAColumn) {
  EXPECT_EQ(of("pairs.tsv:2").file, folder_ / "pairs.tsv");
  EXPECT_EQ(of("pairs.tsv:2").column, 2U);
  EXPECT_EQ(of("pairs.tsv").column, 0U);
}

TEST_F(TextPathTest, FileOfThatNameAndOtherEndingsAreWholeNames) {
  for (const auto* name : {"odd:1", "pairs.tsv:0", "pairs.tsv:x", "pairs.tsv:", "pairs.tsv:1x", "absent:1",
                           "pairs.tsv:99999999999999999999"}) {
    EXPECT_EQ(of(name).file, folder_ / name);
    EXPECT_EQ(of(name).column, 0U) << name;
  }
}

TEST_F(TextPathTest, SelectLeavesTheColumn) {
  const auto select = [&](const std::string& name, std::string line) {
    of(name).select(line, 7);
    return line;
  };
  EXPECT_EQ(select("pairs.tsv:1", "a b\tc\td"), "a b");
  EXPECT_EQ(select("pairs.tsv:2", "a b\tc\td"), "c");
  EXPECT_EQ(select("pairs.tsv:3", "a b\tc\td"), "d");
  EXPECT_EQ(select("pairs.tsv:2", "a\t"), "");
  EXPECT_EQ(select("pairs.tsv", "a\tb"), "a\tb");
  EXPECT_THAT(
      [&] { select("pairs.tsv:3", "a\tb"); },
      ThrowsMessage<DataError>(HasSubstr("pairs.tsv: line 7: wanted at least 3 columns separated by tabs, got 2")));
}

}  // namespace
}  // namespace gloss
