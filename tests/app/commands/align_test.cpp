#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/support/process.h"
#include "tests/app/support/small_run.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class AlignTest : public testing::Test {
 protected:
  AlignTest() {
    std::string source, target;
    for (int i = 0; i < 40; ++i) {
      const auto word = std::to_string(i % 10), other = std::to_string(i / 10);
      source += "a" + word + " b" + other + " .\n";
      target += "B" + other + " A" + word + " .\n";
    }
    write_text(folder_ / "source", source + "\n");
    write_text(folder_ / "target", target + "x\n");
  }
  auto align(const Arguments& more) const {
    Arguments arguments{"align", "--source", folder_ / "source", "--target", folder_ / "target"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_gloss(arguments);
  }

  TemporaryFolder folder_;
};

TEST_F(AlignTest, PrintsALineOfLinksForEachPair) {
  const auto outcome = align({"--lambda", "0.5"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  std::string expected;
  for (int i = 0; i < 40; ++i) expected += "0-1 1-0 2-2\n";
  EXPECT_EQ(outcome.out, expected + "\n");
  EXPECT_THAT(outcome.err, HasSubstr("iteration 4: perplexity"));
  EXPECT_THAT(outcome.err, HasSubstr("aligned 40 pairs of 41"));
}

TEST_F(AlignTest, WritesTablesOnce) {
  const auto table = folder_ / "lex.s2t", reverse = folder_ / "lex.t2s";
  const Arguments both{"--lambda", "0.5", "--lexical-table", table, "--reverse-lexical-table", reverse, "--quiet"};
  EXPECT_EQ(align(both).exit_code, 0);
  EXPECT_THAT(read_text(table), HasSubstr("A3 a3 1.0000000\n"));
  EXPECT_THAT(read_text(reverse), HasSubstr("a3 A3 1.0000000\n"));
  const auto again = align(both);
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("--lexical-table: there is a file"));
  auto replaced = both;
  replaced.push_back("--overwrite");
  EXPECT_EQ(align(replaced).exit_code, 0);
}

TEST_F(AlignTest, PiecesOfATokenizerAreLinked) {
  const auto tokenizer = folder_ / "both.model";
  ASSERT_EQ(run_gloss({"tokenizer", "train", "--input", folder_ / "source", folder_ / "target", "--type", "char",
                       "--output", tokenizer})
                .exit_code,
            0);
  const auto pieces = align({"--tokenizer", tokenizer, "--lexical-table", folder_ / "table"});
  EXPECT_EQ(pieces.exit_code, 0) << pieces.err;
  EXPECT_THAT(pieces.out, HasSubstr("-7"));  // spaces are pieces, too
  EXPECT_EQ(std::ranges::count(pieces.out, '\n'), 41);
  EXPECT_THAT(read_text(folder_ / "table"), HasSubstr(". . "));
  EXPECT_EQ(align({"--tokenizer", tokenizer, tokenizer}).out, pieces.out);
}

TEST_F(AlignTest, WrongOptionsAreRefused) {
  const auto best = align({"--best", "3"});
  EXPECT_EQ(best.exit_code, 2);
  EXPECT_THAT(best.err, HasSubstr("--best: wanted only with a lexical table"));
  EXPECT_THAT(best.out, IsEmpty());
  write_text(folder_ / "target", "x\n");
  EXPECT_EQ(align({}).exit_code, 3);
  EXPECT_EQ(run_gloss({"align", "--source", folder_ / "none", "--target", folder_ / "target"}).exit_code, 2);
}

}  // namespace
}  // namespace gloss
