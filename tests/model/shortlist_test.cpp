#include "model/shortlist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace gloss {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr Vocabularies kSizes{6, 200};

Shortlist::Table table() {
  return {.offsets = {0, 0, 0, 0, 0, 3, 5}, .tokens = {150, 9, 63, 64, 9}, .always = {7, kEos, kUnk}};
}

TEST(ShortlistTest, ListsAreTheUnionInAscendingOrder) {
  const Shortlist shortlist(table(), kSizes);
  const auto list = [&](std::vector<std::int64_t> source, const Ids& wanted = {}) {
    return shortlist.list(source, wanted);
  };
  EXPECT_THAT(list({}), ElementsAre(1, 3, 7));
  EXPECT_THAT(list({kEos}), ElementsAre(1, 3, 7));
  EXPECT_THAT(list({4, kEos}), ElementsAre(1, 3, 7, 9, 63, 150));
  EXPECT_THAT(list({5, 5}), ElementsAre(1, 3, 7, 9, 64));
  EXPECT_EQ(list({4, 5, kEos}), list({5, 4, 4, kEos}));
  EXPECT_THAT(list({5}, {199, 9, 0}), ElementsAre(0, 1, 3, 7, 9, 64, 199));
}

TEST(ShortlistTest, IdsOutOfRangeAreRefused) {
  const Shortlist shortlist(table(), kSizes);
  for (const std::int64_t source : {-1, 6})
    EXPECT_THAT([&] { shortlist.list(std::vector<std::int64_t>{source}, {}); },
                ThrowsMessage<ShapeError>(HasSubstr("source")));
  for (const Id wanted : {-1, 200})
    EXPECT_THAT([&] { shortlist.list({}, std::vector<Id>{wanted}); }, ThrowsMessage<ShapeError>(HasSubstr("tokens")));
}

TEST(ShortlistTest, TableIsChecked) {
  const auto refused = [](auto change, const std::string& message) {
    auto changed = table();
    change(changed);
    EXPECT_THAT([&] { Shortlist(changed, kSizes); }, ThrowsMessage<ModelError>(HasSubstr(message)));
  };
  using Table = Shortlist::Table;
  refused([](Table& t) { t.offsets.pop_back(); }, "shortlist.offsets: wanted 7 numbers, got 6");
  refused([](Table& t) { t.offsets.clear(); }, "shortlist.offsets: wanted 7 numbers, got 0");
  refused([](Table& t) { t.offsets.front() = 1; }, "shortlist.offsets: wanted numbers that ascend from 0 to 5");
  refused([](Table& t) { t.offsets.back() = 4; }, "shortlist.offsets: wanted numbers that ascend from 0 to 5");
  refused([](Table& t) { t.offsets[2] = 2, t.offsets[3] = 1; }, "shortlist.offsets: wanted numbers that ascend");
  refused([](Table& t) { t.offsets[4] = -1; }, "shortlist.offsets: wanted numbers that ascend");
  refused([](Table& t) { t.offsets[5] = 6; }, "shortlist.offsets: wanted numbers that ascend");
  refused([](Table& t) { t.tokens[1] = 200; }, "shortlist.tokens: wanted tokens from 0 to 199, got 200");
  refused([](Table& t) { t.tokens[1] = -1; }, "shortlist.tokens: wanted tokens from 0 to 199, got -1");
  refused([](Table& t) { t.always[0] = 200; }, "shortlist.always: wanted tokens from 0 to 199, got 200");
  refused([](Table& t) { t.always = {7}; }, "shortlist.always: wanted the end of a sentence");
}

}  // namespace
}  // namespace gloss
