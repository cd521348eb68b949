#include "evaluation/ngrams/keyed_hash.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace gloss {
namespace {

std::uint64_t top_byte(std::uint64_t hash) { return hash >> 56; }

/// Returns texts or numbers whose hashes under `hash` begin with the same byte.
template <typename Value, typename Make>
std::vector<Value> falling_together(const KeyedHash& hash, Make make) {
  std::vector<Value> values;
  for (std::uint32_t i = 0; values.size() < 200; ++i)
    if (const Value value = make(i); top_byte(hash(value)) == 7) values.push_back(value);
  return values;
}

template <typename Value>
std::size_t places(const KeyedHash& hash, const std::vector<Value>& values) {
  std::set<std::uint64_t> bytes;
  for (const auto& value : values) bytes.insert(top_byte(hash(value)));
  return bytes.size();
}

// With a known hash, all keys could be made to collide.
TEST(KeyedHashTest, CollisionsDependOnTheKey) {
  const KeyedHash known(1), other(0x123456789abcdef0);
  const auto numbers = falling_together<std::uint64_t>(known, [](std::uint32_t i) { return std::uint64_t{i}; });
  EXPECT_EQ(places(known, numbers), 1u);
  EXPECT_GT(places(other, numbers), 100u);
  for (const std::string& end : {std::string(), std::string(" of more than one word")}) {
    const auto texts = falling_together<std::string>(known, [&](std::uint32_t i) { return std::to_string(i) + end; });
    EXPECT_EQ(places(known, texts), 1u);
    EXPECT_GT(places(other, texts), 100u);
  }
}

TEST(KeyedHashTest, EveryByteAffectsTheHash) {
  const KeyedHash hash(5);
  std::set<std::uint64_t> hashes;
  const std::string text = "a text of several words, 33 bytes";
  for (std::size_t i = 0; i <= text.size(); ++i) hashes.insert(hash(std::string_view(text).substr(0, i)));
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto changed = text;
    ++changed[i];
    hashes.insert(hash(changed));
  }
  hashes.insert(hash(std::string_view("\0", 1)));
  EXPECT_EQ(hashes.size(), 2 * text.size() + 2);
}

}  // namespace
}  // namespace gloss
