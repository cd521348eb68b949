#include "training/schedule.h"

#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

namespace gloss {
namespace {

TrainingConfig config_of(ScheduleKind kind, double rate, std::int64_t warmup) {
  TrainingConfig config;
  config.schedule = kind;
  config.learning_rate = rate;
  config.warmup_steps = warmup;
  return config;
}

TEST(ScheduleTest, EqualsPyTorchLambdaLR) {
  const auto golden = Json::parse(std::ifstream(GLOSS_GOLDEN_FOLDER "/schedule.json"));
  for (const auto& [name, kind] : {std::pair{"noam", ScheduleKind::kNoam},
                                   {"inverse_sqrt", ScheduleKind::kInverseSqrt},
                                   {"constant", ScheduleKind::kConstant}}) {
    const auto config = config_of(kind, golden.at("learning_rate"), golden.at("warmup_steps"));
    std::int64_t step = 0;
    for (const double expected : golden.at("rates").at(name))
      EXPECT_NEAR(learning_rate(config, golden.at("d_model"), ++step), expected, 1e-12 * expected)
          << name << " " << step;
    EXPECT_EQ(step, 12);
  }
}

TEST(ScheduleTest, NoamByHand) {
  const auto config = config_of(ScheduleKind::kNoam, 2, 4);
  EXPECT_DOUBLE_EQ(learning_rate(config, 16, 1), 2 * 0.25 * 0.125);
  EXPECT_DOUBLE_EQ(learning_rate(config, 16, 4), 2 * 0.25 * 0.5);
  EXPECT_DOUBLE_EQ(learning_rate(config, 16, 16), 2 * 0.25 * 0.25);
}

TEST(ScheduleTest, WarmUpEndsAtThePeak) {
  for (const auto kind : {ScheduleKind::kNoam, ScheduleKind::kInverseSqrt}) {
    const auto config = config_of(kind, 1, 100);
    for (std::int64_t step = 2; step <= 100; ++step)
      EXPECT_GT(learning_rate(config, 64, step), learning_rate(config, 64, step - 1));
    for (std::int64_t step = 101; step <= 300; ++step)
      EXPECT_LT(learning_rate(config, 64, step), learning_rate(config, 64, step - 1));
  }
  EXPECT_DOUBLE_EQ(learning_rate(config_of(ScheduleKind::kInverseSqrt, 3, 100), 64, 100), 3);
}

TEST(ScheduleTest, ThePeakIsTheHighestRateOfTheRun) {
  for (const auto kind : {ScheduleKind::kNoam, ScheduleKind::kInverseSqrt, ScheduleKind::kConstant})
    for (const std::int64_t updates : {1, 5, 8, 30}) {
      const auto config = config_of(kind, 0.5, 8);
      const double peak = learning_rate(config, 16, peak_step(config, updates));
      for (std::int64_t step = 1; step <= updates; ++step) EXPECT_LE(learning_rate(config, 16, step), peak) << step;
      EXPECT_LE(peak_step(config, updates), updates);
    }
}

}  // namespace
}  // namespace gloss
