#include "common/log/progress_line.h"

#include <vector>

#include <gtest/gtest.h>

namespace gloss {
namespace {

TEST(ProgressLineTest, ShrinksItsBarThenLeavesOutPartsButNeverTheFirst) {
  const std::vector<std::string> parts = {"39 min left", "loss 2.123", "e 3"};
  EXPECT_EQ(progress_line(0.295, parts, 80), "[########......................]  29 %  39 min left  loss 2.123  e 3");
  EXPECT_EQ(progress_line(0.295, parts, 45), "[##.....]  29 %  39 min left  loss 2.123  e 3");
  EXPECT_EQ(progress_line(0.295, parts, 43), "[##........]  29 %  39 min left  loss 2.123");
  EXPECT_EQ(progress_line(0.295, parts, 34), "[##......]  29 %  39 min left  e 3");  // a later part may fit
  EXPECT_EQ(progress_line(0.295, parts, 20), " 29 %  39 min left");
  EXPECT_EQ(progress_line(0.295, parts, 0), " 29 %  39 min left");
}

TEST(FittingLineTest, DispensablePartsAreLeftOutUntilTheLineFits) {
  const std::vector<LinePart> parts{{"step 1"}, {"loss 2.5"}, {"speed 9", 1}, {"rate 0.1", 3}, {"3 s left"}};
  EXPECT_EQ(fitting_line(parts, std::nullopt), "step 1  loss 2.5  speed 9  rate 0.1  3 s left");
  EXPECT_EQ(fitting_line(parts, 44), "step 1  loss 2.5  speed 9  3 s left");
  EXPECT_EQ(fitting_line(parts, 30), "step 1  loss 2.5  3 s left");
  EXPECT_EQ(fitting_line(parts, 10), "step 1  loss 2.5  3 s left") << "these always stay";
}

TEST(ProgressLineTest, ShareIsBetweenNothingAndAll) {
  EXPECT_EQ(progress_line(-1, {}, 15), "[.......]   0 %");
  EXPECT_EQ(progress_line(0.999, {}, 14), "[#####.]  99 %");
  EXPECT_EQ(progress_line(7, {}, 14), "[######] 100 %");
}

TEST(WorkProgressTest, TheTimeLeftIsInProportionAndUnknownAtFirst) {
  EXPECT_EQ(work_progress_text(0, 3, "translating", 40), "[...................]   0 %  translating");
  EXPECT_EQ(work_progress_text(0.25, 30, "translating", 41), "[##......]  25 %  1 min left  translating");
  EXPECT_EQ(work_progress_text(1, 30, "translating", 20), "100 %  0 s left");
}

TEST(DurationTest, HasTwoUnitsAtMost) {
  EXPECT_EQ(duration_text(0), "0 s");
  EXPECT_EQ(duration_text(59.9), "59 s");
  EXPECT_EQ(duration_text(60), "1 min");
  EXPECT_EQ(duration_text(3599), "59 min");
  EXPECT_EQ(duration_text(3600 + 5 * 60), "1 h 05 min");
  EXPECT_EQ(duration_text(51 * 3600), "2 d 3 h");
}

}  // namespace
}  // namespace gloss
