#include "documents/translation_memory.h"

#include <algorithm>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::Eq;
using testing::IsEmpty;
using testing::Optional;

TranslationMemory memory_of(const std::vector<std::string>& sources) {
  std::string bytes = "<tmx><body>";
  for (std::size_t i = 0; i < sources.size(); ++i)
    bytes += "<tu><tuv xml:lang='en'><seg>" + sources[i] + "</seg></tuv><tuv xml:lang='de'><seg>t" + std::to_string(i) +
             "</seg></tuv></tu>";
  const TemporaryFolder folder;
  const auto path = folder / "memory.tmx";
  std::ofstream(path, std::ios::binary) << bytes << "</body></tmx>";
  return TranslationMemory(path, "en", "de");
}

TEST(TranslationMemory, ExactMatchesIgnoreTheAmountOfWhiteSpace) {
  const auto memory = memory_of({"Open the file.", "Close it.", "Close it."});
  EXPECT_THAT(memory.exact("  Open\n the  file. "), Optional(Eq("t0")));
  EXPECT_THAT(memory.exact("Close it."), Optional(Eq("t2")));
  EXPECT_FALSE(memory.exact("open the file."));
  EXPECT_EQ(memory.size(), 2U);
}

TEST(TranslationMemory, FuzzyMatchesComeInOrderOfSimilarity) {
  const auto memory = memory_of({"a b c d e f g h i j", "a b c d e f g h i x", "a b c d e f g h y x",
                                 "a b c d e f w z y x", "a b c d e f g h i j k l", "j i h g f e d c b a"});
  const auto found = memory.fuzzy("a b c d e f g h i j", 10);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].target, "t0");
  EXPECT_DOUBLE_EQ(found[0].similarity, 1);
  EXPECT_EQ(found[1].target, "t1");
  EXPECT_DOUBLE_EQ(found[1].similarity, 0.9);
  EXPECT_EQ(found[2].target, "t4");
  EXPECT_NEAR(found[2].similarity, 1 - 2.0 / 12, 1e-12);
  EXPECT_EQ(found[3].target, "t2");
  EXPECT_DOUBLE_EQ(found[3].similarity, 0.8);
  EXPECT_EQ(memory.fuzzy("a b c d e f g h i j", 2).size(), 2U);
  EXPECT_THAT(memory.fuzzy("", 2), IsEmpty());
  EXPECT_THAT(memory.fuzzy("none of these words", 2), IsEmpty());
}

std::vector<std::string> random_words(std::mt19937& random) {
  std::vector<std::string> words;
  for (auto count = 1 + random() % 9; count > 0; --count)
    words.push_back(std::string(1, static_cast<char>('a' + random() % 4)));
  return words;
}

std::string spaced(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// Edit distance by its recursive definition, with a table.
std::size_t distance_of(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j)
      table[i][j] = i == 0 || j == 0 ? i + j
                                     : std::min({table[i - 1][j] + 1, table[i][j - 1] + 1,
                                                 table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
  return table[a.size()][b.size()];
}

TEST(TranslationMemory, TheIndexFindsWhatAComparisonWithEachUnitFinds) {
  std::mt19937 random(11);
  std::vector<std::vector<std::string>> units;
  std::vector<std::string> sources;
  for (int i = 0; i < 200; ++i) {
    units.push_back(random_words(random));
    sources.push_back(spaced(units.back()));
  }
  const auto memory = memory_of(sources);
  std::size_t total = 0;
  for (int query = 0; query < 300; ++query) {
    auto words = random_words(random);
    if (query % 3 == 0) words[0] = "unknown";
    std::vector<std::string> expected, found;
    for (std::size_t i = 0; i < units.size(); ++i) {
      const auto longest = static_cast<double>(std::max(words.size(), units[i].size()));
      if (1 - static_cast<double>(distance_of(words, units[i])) / longest > 0.7 - 1e-9) expected.push_back(sources[i]);
    }
    std::ranges::sort(expected);
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    for (const auto& match : memory.fuzzy(spaced(words), 1000)) found.push_back(match.source);
    std::ranges::sort(found);
    EXPECT_EQ(found, expected) << spaced(words);
    total += found.size();
  }
  EXPECT_GT(total, 100U);
}

}  // namespace
}  // namespace gloss
