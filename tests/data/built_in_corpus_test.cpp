#include "data/built_in_corpus.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<std::string> lines(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<std::string> result;
  for (std::string line; std::getline(file, line);) result.push_back(line);
  return result;
}

std::vector<std::string> words(const std::string& line) {
  std::istringstream text(line);
  std::vector<std::string> result;
  for (std::string word; text >> word;) result.push_back(word);
  return result;
}

// Returns the lines of the six files by file name.
std::vector<std::string> everything(const BuiltInCorpusOptions& options) {
  const TemporaryFolder folder;
  make_built_in_corpus(options, folder / "corpus");
  std::vector<std::string> result;
  for (const auto* part : {"train", "valid", "test"})
    for (const auto* side : {".source", ".target"})
      std::ranges::copy(lines(folder / "corpus" / (std::string(part) + side)), std::back_inserter(result));
  return result;
}

TEST(BuiltInCorpusTest, CopyIsTheSource) {
  const TemporaryFolder folder;
  make_built_in_corpus({.size = 300}, folder.path());
  for (const auto* part : {"train", "valid", "test"})
    EXPECT_EQ(lines(folder / (std::string(part) + ".target")), lines(folder / (std::string(part) + ".source")));
}

TEST(BuiltInCorpusTest, ReverseIsTheSourceReversed) {
  const TemporaryFolder folder;
  make_built_in_corpus({.kind = BuiltInCorpus::kReverse, .size = 300}, folder.path());
  const auto sources = lines(folder / "train.source"), targets = lines(folder / "train.target");
  ASSERT_EQ(sources.size(), targets.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    auto wanted = words(sources[i]);
    std::ranges::reverse(wanted);
    EXPECT_EQ(words(targets[i]), wanted);
  }
}

TEST(BuiltInCorpusTest, HasTheSizesAskedFor) {
  for (const auto& [size, held_out] : {std::pair(1000, 100u), std::pair(50, 20u)}) {
    const TemporaryFolder folder;
    make_built_in_corpus({.size = size, .words = 12, .max_words = 5}, folder.path());
    EXPECT_EQ(std::ssize(lines(folder / "train.source")), size);
    EXPECT_EQ(lines(folder / "valid.source").size(), held_out);
    EXPECT_EQ(lines(folder / "test.source").size(), held_out);
    std::set<std::string> vocabulary;
    for (const auto& line : lines(folder / "train.source")) {
      const auto sentence = words(line);
      EXPECT_GE(sentence.size(), 1u);
      EXPECT_LE(sentence.size(), 5u);
      vocabulary.insert(sentence.begin(), sentence.end());
    }
    EXPECT_EQ(vocabulary.size(), 12u);
  }
}

TEST(BuiltInCorpusTest, NoSentenceOccursTwice) {
  // The last two need all sentences, and just over half of them.
  for (const BuiltInCorpusOptions& options :
       {BuiltInCorpusOptions{}, BuiltInCorpusOptions{.size = 800, .words = 3, .max_words = 6},
        BuiltInCorpusOptions{.size = 80, .words = 3, .max_words = 4},
        BuiltInCorpusOptions{.size = 21, .words = 3, .max_words = 4}}) {
    const TemporaryFolder folder;
    make_built_in_corpus(options, folder.path());
    std::set<std::string> seen;
    for (const auto* part : {"train.source", "valid.source", "test.source"})
      for (const auto& line : lines(folder / part)) EXPECT_TRUE(seen.insert(line).second) << line;
    EXPECT_GT(std::ssize(seen), options.size);
  }
}

TEST(BuiltInCorpusTest, TestHasSentencesOfEveryLength) {
  const TemporaryFolder folder;
  make_built_in_corpus({.size = 2000, .words = 200, .max_words = 4}, folder.path());
  std::array<int, 5> count{};
  for (const auto& line : lines(folder / "test.source")) ++count[words(line).size()];
  for (std::size_t length = 1; length <= 4; ++length) EXPECT_GT(count[length], 5) << length;
}

TEST(BuiltInCorpusTest, EqualOptionsGiveEqualFiles) {
  EXPECT_EQ(everything({.seed = 3, .size = 100}), everything({.seed = 3, .size = 100}));
  EXPECT_NE(everything({.seed = 3, .size = 100}), everything({.seed = 4, .size = 100}));
}

TEST(BuiltInCorpusTest, RefusesMoreSentencesThanThereAre) {
  const TemporaryFolder folder;
  EXPECT_THAT([&] { make_built_in_corpus({.size = 81, .words = 3, .max_words = 4}, folder / "none"); },
              ThrowsMessage<UsageError>(HasSubstr("of 3 words, 120, got 81 and 2 times 20")));
  EXPECT_THAT([&] { make_built_in_corpus({.size = 0}, folder / "none"); },
              ThrowsMessage<UsageError>(HasSubstr("size: wanted 1 to")));
  EXPECT_THROW(make_built_in_corpus({.words = 5000}, folder / "none"), UsageError);
  EXPECT_THROW(make_built_in_corpus({.max_words = 0}, folder / "none"), UsageError);
  EXPECT_FALSE(std::filesystem::exists(folder / "none"));
}

TEST(BuiltInCorpusTest, ReportsAFolderThatCannotBeMade) {
  const TemporaryFolder folder;
  std::ofstream(folder / "file") << "text";
  EXPECT_THAT([&] { make_built_in_corpus({.size = 100}, folder / "file" / "corpus"); },
              ThrowsMessage<IoError>(HasSubstr("cannot make the folder")));
}

}  // namespace
}  // namespace gloss
