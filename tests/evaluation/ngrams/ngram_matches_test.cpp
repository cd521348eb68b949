#include "evaluation/ngrams/ngram_matches.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace gloss {
namespace {

/// Compares the table with a map, filled up to its announced size, before and after a larger one.
template <typename Key>
void expect_equals_a_map(const std::vector<Key>& keys, std::size_t different) {
  NumberTable<Key> table;
  ASSERT_EQ(std::set<Key>(keys.begin(), keys.end()).size(), different);
  for (const std::size_t told : {different, 9 * different, different}) {
    table.reset(told);
    std::map<Key, std::uint32_t> map;
    for (const Key key : keys) {
      const auto known = map.find(key);
      EXPECT_EQ(table.find(key), known == map.end() ? NumberTable<Key>::kUnknown : known->second);
      const auto number = map.emplace(key, static_cast<std::uint32_t>(map.size())).first->second;
      EXPECT_EQ(table.number(key), number);
      EXPECT_EQ(table.find(key), number);
    }
  }
}

TEST(NumberTableTest, NumbersWordsInOrderOfArrival) {
  std::vector<std::uint64_t> keys;
  for (std::uint32_t i = 0; i < 1000; ++i) keys.push_back(prefix_key(i % 37, i % 7));
  expect_equals_a_map(keys, 37 * 7);
  expect_equals_a_map<std::uint64_t>({0, 1, 0, ~std::uint64_t{0}}, 3);
}

TEST(NumberTableTest, NumbersTextsByContent) {
  std::vector<std::string> texts;
  for (int i = 0; i < 1000; ++i)
    texts.push_back(std::string(static_cast<std::size_t>(i % 20), 'x') + char('a' + i % 13));
  texts.emplace_back();
  expect_equals_a_map(std::vector<std::string_view>(texts.begin(), texts.end()), 261);
}

TEST(NumberTableTest, FullTableFindsNoUnknownKey) {
  constexpr std::uint64_t kKeys = 256;
  NumberTable<std::uint64_t> table;
  table.reset(kKeys);
  for (std::uint64_t key = 0; key < kKeys; ++key) EXPECT_EQ(table.number(key), key);
  EXPECT_EQ(table.find(kKeys), NumberTable<std::uint64_t>::kUnknown);
}

TEST(NumberTableTest, SequenceDependsOnPrefixAndLastSymbol) {
  EXPECT_NE(prefix_key(1, 2), prefix_key(2, 1));
  EXPECT_NE(prefix_key(0, 1), prefix_key(1, 0));
}

}  // namespace
}  // namespace gloss
