#include "alignment/align_texts.h"

#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "tests/alignment/word_golden.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class AlignTextsTest : public testing::Test {
 protected:
  TextAlignment job_of(const std::string& source, const std::string& target) const {
    write_file(folder_ / "source", source);
    write_file(folder_ / "target", target);
    TextAlignment job;
    job.source = folder_ / "source";
    job.target = folder_ / "target";
    return job;
  }
  static std::string aligned(const TextAlignment& job) {
    std::string result;
    align_texts(job, [&](const std::string& lines) { result += lines; });
    return result;
  }

  TemporaryFolder folder_;
};

TEST_F(AlignTextsTest, EveryPairHasALineAlsoAnEmptyOne) {
  const auto job = job_of("a b\n\nb\na\n", "x y\nz\n\nx\n");
  EXPECT_EQ(aligned(job), "0-0 1-1\n\n\n0-0\n");
}

TEST_F(AlignTextsTest, APairThatIsTooLongHasAnEmptyLineAndTeachesNothing) {
  std::string longest = "a", longer = "a";
  for (std::size_t i = 1; i < TextAlignment::kMaxWords; ++i) longest += " b";
  for (std::size_t i = 0; i < TextAlignment::kMaxWords; ++i) longer += " b";
  EXPECT_EQ(aligned(job_of("a\n" + longer + "\na\n", "x\nx\nx\n")), "0-0\n\n0-0\n");
  const auto links = aligned(job_of("a\n" + longest + "\na\n", "x\nx\nx\n"));
  EXPECT_THAT(links, testing::MatchesRegex("0-0\n[0-9 -]+\n0-0\n"));
}

/// Texts of several parts.
TEST_F(AlignTextsTest, ThreadsDoNotChangeTheResult) {
  std::string source, target;
  for (int i = 0; i < 9000; ++i) {
    const auto a = std::to_string(i % 71), b = std::to_string(i % 13);
    source += "the a" + a + " and b" + b + (i % 2 == 0 ? " .\n" : "\n");
    target += "b" + b + "' und a" + a + (i % 2 == 0 ? "' .\n" : "'\n");
  }
  auto job = job_of(source, target);
  job.lexical_table = folder_ / "first";
  const auto alone = aligned(job);
  EXPECT_EQ(std::ranges::count(alone, '\n'), 9000);
  job.model.threads = 3;
  job.lexical_table = folder_ / "second";
  EXPECT_EQ(aligned(job), alone);
  const auto table = read_file(folder_ / "first", 1 << 20);
  EXPECT_EQ(read_file(folder_ / "second", 1 << 20), table);
  EXPECT_THAT(table, HasSubstr("a70' a70 1.0000000\n"));
  EXPECT_THAT(table, HasSubstr("b12' b12 1.0000000\n"));
}

TEST_F(AlignTextsTest, IterationsCountThePassThatLinks) {
  const auto golden = word_golden();
  std::string source, target, expected;
  for (const std::string line : golden.at("source")) source += line + '\n';
  for (const std::string line : golden.at("target")) target += line + '\n';
  for (const std::string line : golden.at("settings").at("alpha 0.01").at("grow-diag-final-and"))
    expected += line + '\n';
  auto job = job_of(source, target);
  job.model.lambda = golden.at("lambda");
  EXPECT_EQ(aligned(job), expected);
  job.iterations = 2;
  EXPECT_NE(aligned(job), expected);
}

TEST_F(AlignTextsTest, TextsThatCannotBeAlignedAreRefused) {
  EXPECT_THAT([&] { aligned(job_of("a\nb\n", "x\n")); }, ThrowsMessage<DataError>(HasSubstr("2 lines")));
  EXPECT_THAT([&] { aligned(job_of("a\n\n", "\nx\n")); },
              ThrowsMessage<DataError>(HasSubstr("wanted pairs of lines with words on both sides, got none")));
  EXPECT_THAT([&] { aligned(job_of("", "")); }, ThrowsMessage<DataError>(HasSubstr("got none")));
}

TEST_F(AlignTextsTest, ATextThatBecomesShorterIsRefused) {
  std::string lines;
  for (int i = 0; i < 100'000; ++i) lines += "a b c d e f\n";
  const auto job = job_of(lines, lines);
  EXPECT_THAT(
      [&] {
        align_texts(job, [&](const std::string&) {
          for (const auto& text : {job.source, job.target}) std::filesystem::resize_file(text, 0);
        });
      },
      ThrowsMessage<DataError>(HasSubstr("has changed since it was first read")));
}

}  // namespace
}  // namespace gloss
