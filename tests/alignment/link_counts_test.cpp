#include "alignment/link_counts.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/files/atomic_file.h"
#include "tests/alignment/word_golden.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

class LinkCountsTest : public testing::Test {
 protected:
  LinkCountsTest() {
    table_.add(text_.lines[0], std::vector<WordLink>{{0, 0}, {1, 1}});
    table_.add(text_.lines[1], std::vector<WordLink>{{0, 0}, {1, 2}});
    table_.add(text_.lines[2], std::vector<WordLink>{{0, 0}, {0, 1}});
  }
  std::string written(LinkCounts::Given given, std::size_t best) {
    table_.write(folder_ / "table", text_.sources, text_.targets, given, best);
    return read_file(folder_ / "table", 1000);
  }

  NumberedTexts text_{{"the dog", "the cat", "the dog"}, {"der Hund", "die - Katze", "der Hund"}};
  LinkCounts table_;
  TemporaryFolder folder_;
};

TEST_F(LinkCountsTest, ProbabilitiesAreSharesOfTheLinksOfTheGivenWord) {
  EXPECT_EQ(written(LinkCounts::Given::kSource, 0),
            "- NULL 1.0000000\n"
            "der the 0.5000000\nHund the 0.2500000\ndie the 0.2500000\n"
            "NULL dog 0.5000000\nHund dog 0.5000000\n"
            "Katze cat 1.0000000\n");
  EXPECT_EQ(written(LinkCounts::Given::kTarget, 0),
            "dog NULL 1.0000000\n"
            "the der 1.0000000\nthe Hund 0.5000000\ndog Hund 0.5000000\n"
            "the die 1.0000000\nNULL - 1.0000000\ncat Katze 1.0000000\n");
}

TEST_F(LinkCountsTest, TheBestStayWithTheirProbabilities) {
  EXPECT_EQ(written(LinkCounts::Given::kSource, 1),
            "- NULL 1.0000000\nder the 0.5000000\nNULL dog 0.5000000\nHund dog 0.5000000\nKatze cat 1.0000000\n");
}

}  // namespace
}  // namespace gloss
