#include "data/pair_order.h"

#include <string>

#include <gtest/gtest.h>

#include "common/random.h"

namespace gloss {
namespace {

/// Length of the source and the target of line n of an ordinary text.
struct Lengths {
  std::int64_t source, target;
};
Lengths lengths_of(std::uint64_t line) {
  const auto random = [&](std::uint64_t i) {
    return static_cast<std::int64_t>((line * 2654435761U + i * 40503U) >> 7);
  };
  const auto source = 20 + random(0) % 100;
  return {source, source + random(1) % 15};
}

TEST(LengthShiftsTest, OrdinaryTextIsNotShifted) {
  LengthShifts lengths;
  for (std::uint64_t line = 0; line < 2'000; ++line) lengths.add(lengths_of(line).source, lengths_of(line).target);
  EXPECT_TRUE(lengths.shifted().empty());
}

TEST(LengthShiftsTest, ShiftedHalfIsFoundWithItsBeginning) {
  for (const int shift : {1, -1, 2}) {
    LengthShifts lengths;
    for (std::uint64_t line = 0; line < 1'200; ++line) {
      const auto other = line < 600 ? line : line - static_cast<std::uint64_t>(shift);
      lengths.add(lengths_of(line).source, lengths_of(other).target);
    }
    const auto ranges = lengths.shifted();
    ASSERT_EQ(ranges.size(), 1U) << shift;
    EXPECT_EQ(ranges[0].shift, shift);
    EXPECT_EQ(ranges[0].first, 601);
    EXPECT_EQ(ranges[0].last, 1'200);
  }
}

TEST(LengthShiftsTest, LinesOfEqualOrUnrelatedLengthAreNotShifted) {
  LengthShifts equal, unrelated;
  for (std::uint64_t line = 0; line < 1'000; ++line) {
    equal.add(30, 30);
    unrelated.add(lengths_of(line).source, lengths_of(line * 77 + 5).source);
  }
  EXPECT_TRUE(equal.shifted().empty());
  EXPECT_TRUE(unrelated.shifted().empty());
}

class SideLanguagesTest : public testing::Test {
 protected:
  SideLanguagesTest() {
    for (int i = 0; i < 200; ++i) {
      languages_.count("the old dog is running with the children through the snow", kGerman);
      languages_.count("two women are standing at the street and talking",
                       "zwei Frauen stehen an der Straße und reden");
    }
    for (int i = 0; i < 20; ++i) languages_.count(kGerman, "the old dog is running with the children");
  }
  static constexpr auto kGerman = "der alte Hund rennt mit den Kindern durch den Schnee";

  SideLanguages languages_;
};

TEST_F(SideLanguagesTest, ExchangedPairIsFound) {
  EXPECT_TRUE(languages_.is_exchanged("die Frauen rennen mit den Kindern an der Straße",
                                      "the women are running with the children at the street"));
  EXPECT_FALSE(languages_.is_exchanged("the women are running with the children at the street",
                                       "die Frauen rennen mit den Kindern an der Straße"));
}

TEST_F(SideLanguagesTest, CopiesAndShortPairsAreNotExchanged) {
  EXPECT_FALSE(languages_.is_exchanged(kGerman, kGerman));
  EXPECT_FALSE(languages_.is_exchanged("the old dog is running", "the old dog is running"));
  EXPECT_FALSE(languages_.is_exchanged("der Hund", "the dog"));
}

}  // namespace
}  // namespace gloss
