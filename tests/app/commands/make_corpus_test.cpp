#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/support/process.h"
#include "tests/app/support/small_run.h"
#include "tests/support/sanitizers.h"

namespace gloss {
namespace {

using testing::HasSubstr;

TEST(MakeCorpusTest, ReverseIsTheSourceFromItsEnd) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_gloss({"make-corpus", "reverse", "--out", folder.path(), "--size", "1"}).exit_code, 0);
  std::istringstream source(read_text(folder / "train.source")), target(read_text(folder / "train.target"));
  const std::vector<std::string> words(std::istream_iterator<std::string>(source), {});
  const std::vector<std::string> turned(std::istream_iterator<std::string>(target), {});
  EXPECT_EQ(std::vector(words.rbegin(), words.rend()), turned);
}

TEST(MakeCorpusTest, SeedDecidesTheSentences) {
  const TemporaryFolder folder;
  for (const auto* seed : {"1", "2"})
    EXPECT_EQ(run_gloss({"make-corpus", "copy", "--out", folder / seed, "--seed", seed, "--size", "20"}).exit_code, 0);
  EXPECT_EQ(run_gloss({"make-corpus", "copy", "--out", folder / "again", "--seed", "1", "--size", "20"}).exit_code, 0);
  EXPECT_EQ(read_text(folder.path() / "1" / "train.source"), read_text(folder.path() / "again" / "train.source"));
  EXPECT_NE(read_text(folder.path() / "1" / "train.source"), read_text(folder.path() / "2" / "train.source"));
}

TEST(MakeCorpusTest, KeepsWhatIsThereUnlessToldOtherwise) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "corpus");
  write_text(folder / "corpus" / "test.target", "mine");
  const auto make = [&](const Arguments& more) {
    Arguments arguments = {"make-corpus", "copy", "--size", "20", "--out", folder / "corpus"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_gloss(arguments);
  };
  const auto refused = make({});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("corpus/test.target already; give another folder, or --overwrite"));
  EXPECT_EQ(read_text(folder / "corpus" / "test.target"), "mine");
  EXPECT_FALSE(std::filesystem::exists(folder / "corpus" / "train.source"));
  EXPECT_EQ(make({"--overwrite"}).exit_code, 0);
  EXPECT_EQ(read_text(folder / "corpus" / "test.target"), read_text(folder / "corpus" / "test.source"));
}

TEST(MakeCorpusTest, HasAsManyWordsAsAskedFor) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_gloss({"make-corpus", "copy", "--out", folder.path(), "--words", "3", "--size", "60"}).exit_code, 0);
  std::istringstream text(read_text(folder / "train.source"));
  const std::set<std::string> words(std::istream_iterator<std::string>(text), {});
  EXPECT_EQ(words.size(), 3u);
  const auto refused = run_gloss({"make-corpus", "copy", "--out", folder / "x", "--words", "1", "--size", "60"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("gloss: --size: wanted no more pairs"));
}

// Ten thousand sentences of five hundred words on the mean are 20 MB as numbers of words, and more as text.
TEST(MakeCorpusTest, MemoryDoesNotGrowWithTheSentences) {
  if (kIsSanitized) GTEST_SKIP() << "the sanitizer takes memory itself";
  const TemporaryFolder folder;
  const auto peak = [&](const std::string& longest) {
    const auto outcome = run_gloss(
        {"make-corpus", "copy", "--out", folder / longest, "--size", "8000", "--words", "100", "--max-words", longest});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.peak_kib;
  };
  EXPECT_LT(peak("1000"), peak("10") + 20'000);
}

TEST(MakeCorpusTest, DemoWritesTheLanguagesThatThePairNames) {
  const TemporaryFolder folder;
  for (const auto* pair : {"en-de", "zh-en"})
    EXPECT_EQ(run_gloss({"make-corpus", "demo", "--out", folder / pair, "--pair", pair, "--size", "1000"}).exit_code,
              0);
  EXPECT_NE(read_text(folder.path() / "en-de" / "train.target").find(" der "), std::string::npos);
  EXPECT_NE(read_text(folder.path() / "zh-en" / "train.source").find("。"), std::string::npos);
  EXPECT_NE(read_text(folder.path() / "zh-en" / "train.target").find(" the "), std::string::npos);
  EXPECT_NE(read_text(folder.path() / "zh-en" / "test.constructions").find("relative\n"), std::string::npos);
}

}  // namespace
}  // namespace gloss
