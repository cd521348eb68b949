#include "alignment/word_pair_table.h"

#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace gloss {
namespace {

std::vector<IdPair> random_lines(int lines, Id words) {
  std::mt19937 random(7);
  std::vector<IdPair> result;
  for (int i = 0; i < lines; ++i) {
    IdPair line;
    for (auto* side : {&line.source, &line.target})
      for (int n = std::uniform_int_distribution(0, 40)(random); n > 0; --n)
        side->push_back(std::uniform_int_distribution<Id>(0, words)(random));
    result.push_back(line);
  }
  return result;
}

TEST(WordPairTableTest, HasEachPairOnceWhateverTheThreadsAndTheParts) {
  const auto lines = random_lines(300, 100);
  std::set<std::pair<Id, Id>> expected;
  for (const auto& line : lines)
    for (const auto source : line.source)
      for (const auto target : line.target) expected.emplace(source, target);
  for (const int threads : {1, 4}) {
    WordPairTable table;
    const auto some = std::span(lines).first(3);
    table.add(some, threads);
    table.add(std::span(lines).subspan(3), threads);
    table.add(some, threads);
    table.finish();
    std::set<std::pair<Id, Id>> pairs;
    std::size_t used = 0;
    for (const auto& pair : table.slots())
      if (pair.key != 0) {
        ++used;
        pairs.emplace(pair.source(), pair.target());
      }
    EXPECT_EQ(used, expected.size());
    EXPECT_EQ(pairs, expected);
    EXPECT_LT(table.slots().size(), expected.size() * 4 / 3 + 2);
    for (const auto& line : lines)
      for (const auto source : line.source) {
        std::vector<WordPair*> found(line.target.size());
        table.find(source, line.target, found.data());
        for (std::size_t i = 0; i < found.size(); ++i)
          ASSERT_EQ(std::pair(found[i]->source(), found[i]->target()), std::pair(source, line.target[i]));
      }
  }
}

TEST(WordPairTableTest, AnUnknownPairIsRefused) {
  WordPairTable table;
  const std::vector<IdPair> lines{{{0, 1}, {5}}};
  table.add(lines, 1);
  table.finish();
  WordPair* found = nullptr;
  const Id target = 6;
  EXPECT_THROW(table.find(0, {&target, 1}, &found), DataError);
}

}  // namespace
}  // namespace gloss
