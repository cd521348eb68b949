#include "data/text_size.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "data/scan_texts.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

class TextSizeTest : public testing::Test {
 protected:
  TextSize measure(const std::string& source, const std::string& target) const {
    std::ofstream(folder_ / "s") << source;
    std::ofstream(folder_ / "t") << target;
    return *scan_texts(TextFiles{folder_ / "s", folder_ / "t"}, {.size = true}).size;
  }

  TemporaryFolder folder_;
};

TEST_F(TextSizeTest, CountsPairsWordsAndCharacters) {
  const auto size = measure("the cat\n the  dog\t\n", "die Katze\nder H\xc3\xbcnd\n");
  EXPECT_EQ(size.pairs, 2);
  EXPECT_EQ(size.words, 8);
  EXPECT_EQ(size.bytes, 20);
  EXPECT_EQ(size.source.distinct_words, 3);
  EXPECT_EQ(size.target.distinct_words, 4);
  EXPECT_EQ(size.both.distinct_words, 7);
  EXPECT_EQ(size.source.characters, 8) << "t h e c a d o g";
  EXPECT_EQ(size.target.characters, 11) << "d i e K a t z r H \u00fc n";
}

TEST_F(TextSizeTest, CountsLinesThatNormalizationChanges) {
  const auto size = measure("a² m²\nb\nc\n", "\u0645\u06cc\u200c\u062f\n\u2764\ufe0f\u200d\U0001f525\n，½\n");
  EXPECT_EQ(size.source.changed_by_nfkc, 1);
  EXPECT_EQ(size.source.first_changed, U'²');
  EXPECT_EQ(size.source.joined + size.source.full_width, 0);
  EXPECT_EQ(size.target.changed_by_nfkc, 3);
  EXPECT_EQ(size.target.joined, 1) << "an emoji of two is no word";
  EXPECT_EQ(size.target.full_width, 1);
}

TEST_F(TextSizeTest, LeavesOutPairsThatCannotBeTrainedOn) {
  const auto size = measure("a\n \nb\n\xff\nc\n" + std::string(70'000, 'x') + "\nd\n", "A\nB\n\nD\nE\nF\n");
  EXPECT_EQ(size.pairs, 2) << "a and c; d has no partner";
  EXPECT_EQ(size.words, 4);
}

TEST_F(TextSizeTest, DistinctWordsAreCountedToALimit) {
  std::string source, target;
  for (int i = 0; i < 120'000; ++i) {
    source += std::to_string(i) + '\n';
    target += "x\n";
  }
  const auto size = measure(source, target);
  EXPECT_EQ(size.pairs, 120'000);
  EXPECT_EQ(size.source.distinct_words, TextVariety::kMaxDistinctWords);
  EXPECT_EQ(size.target.distinct_words, 1);
}

}  // namespace
}  // namespace gloss
