#include "data/sentence_store.h"

#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace gloss {
namespace {

using testing::ElementsAreArray;

constexpr auto kBlock = SentenceStore::kBlockIds;

Ids sentence(std::size_t length, Id first) {
  Ids ids(length);
  std::iota(ids.begin(), ids.end(), first);
  return ids;
}

// Lengths around a block's: what fills one to the last place, what just does not fit, and what is as long as one.
const std::vector<std::size_t> kLengths = {3, 0, kBlock - 3, 1, kBlock, kBlock / 2, kBlock / 2, 2, kBlock - 1, 0, 5};

TEST(SentenceStoreTest, GivesBackWhatWasPutIn) {
  SentenceStore store;
  EXPECT_EQ(store.size(), 0);
  for (std::size_t i = 0; i < kLengths.size(); ++i) store.add(sentence(kLengths[i], static_cast<Id>(i)));
  ASSERT_EQ(store.size(), std::ssize(kLengths));
  for (std::size_t i = 0; i < kLengths.size(); ++i) {
    const auto got = store[static_cast<std::int64_t>(i)];
    EXPECT_TRUE(std::ranges::equal(got, sentence(kLengths[i], static_cast<Id>(i)))) << i;
  }
}

TEST(SentenceStoreTest, TheSumIsThatOfOneArray) {
  SentenceStore store;
  std::vector<std::int64_t> begins{0};
  Ids all;
  for (std::size_t i = 0; i < kLengths.size(); ++i) {
    const auto ids = sentence(kLengths[i], static_cast<Id>(i));
    store.add(ids);
    all.insert(all.end(), ids.begin(), ids.end());
    begins.push_back(std::ssize(all));
  }
  Sha256 wanted, got;
  wanted.update(std::as_bytes(std::span(begins)));
  wanted.update(std::as_bytes(std::span(all)));
  store.add_to(got);
  EXPECT_EQ(got.hex(), wanted.hex());
}

TEST(SentenceStoreTest, RefusesASentenceLongerThanABlock) {
  SentenceStore store;
  EXPECT_THROW(store.add(Ids(kBlock + 1)), DataError);
  EXPECT_EQ(store.size(), 0);
}

}  // namespace
}  // namespace gloss
