#include "training/training_report.h"

#include <gtest/gtest.h>

namespace gloss {
namespace {

TEST(TrainingMeterTest, ReportsMeansSinceTheLastReport) {
  TrainingMeter meter;
  TrainingState state;
  state.step = 4;
  state.position = {2, 1};
  state.unreported_nll = 30;
  state.unreported_tokens = 20;
  state.skipped_updates = 3;
  meter.add({.applied = true, .nll_sum = 10, .tokens = 8, .gradient_norm = 5}, 0.5);
  meter.add({.applied = true, .nll_sum = 20, .tokens = 12, .gradient_norm = 7}, 1.5);
  const auto report = meter.report(state, 0.25, 100);
  EXPECT_EQ(report.step, 4);
  EXPECT_EQ(report.last_step, 100);
  EXPECT_EQ(report.epoch, 3);
  EXPECT_DOUBLE_EQ(report.loss, 1.5);
  EXPECT_DOUBLE_EQ(report.tokens_per_second, 10);
  EXPECT_DOUBLE_EQ(report.gradient_norm, 7);
  EXPECT_DOUBLE_EQ(report.learning_rate, 0.25);
  EXPECT_EQ(report.skipped, 3);
  EXPECT_EQ(state.unreported_nll, 0);
  EXPECT_EQ(state.unreported_tokens, 0);

  state.unreported_nll = state.unreported_tokens = 1;
  meter.add({.applied = true, .nll_sum = 1, .tokens = 1, .gradient_norm = 1}, 1);
  EXPECT_DOUBLE_EQ(meter.report(state, 0.25, 100).tokens_per_second, 1);
}

TEST(TrainingMeterTest, TimeLeftIsInStepsAndNoneAtTheEnd) {
  TrainingMeter meter;
  TrainingState state;
  state.step = 4;
  state.unreported_tokens = 1;
  meter.add({}, 1);
  EXPECT_GT(meter.report(state, 1, 100).seconds_left, 0);
  EXPECT_EQ(meter.report(state, 1, 4).seconds_left, 0);
}

}  // namespace
}  // namespace gloss
