#include "training/training_report.h"

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/training/trainer_test.h"

namespace gloss {
namespace {

using testing::SizeIs;

class TrainerReportTest : public TrainerTest {};

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

TEST(TrainingMeterTest, ProgressKeepsItsLossAfterAReport) {
  TrainingMeter meter;
  TrainingState state;
  state.step = 1;
  state.position = {2, 1};
  EXPECT_EQ(meter.progress(state, 100).loss, 0);
  meter.add({.applied = true, .nll_sum = 30, .tokens = 10, .gradient_norm = 5}, 2);
  state.unreported_nll = 30;
  state.unreported_tokens = 10;
  auto progress = meter.progress(state, 100);
  EXPECT_DOUBLE_EQ(progress.loss, 3);
  EXPECT_DOUBLE_EQ(progress.tokens_per_second, 5);
  EXPECT_EQ(progress.epoch, 3);
  meter.report(state, 0.25, 100);
  EXPECT_DOUBLE_EQ(meter.progress(state, 100).loss, 3);
  for (int i = 0; i < 200; ++i) meter.add({.applied = true, .nll_sum = 10, .tokens = 10, .gradient_norm = 5}, 1);
  progress = meter.progress(state, 100);
  EXPECT_NEAR(progress.loss, 1, 1e-3);
  EXPECT_NEAR(progress.tokens_per_second, 10, 1e-2);
}

TEST(TrainingMeterTest, TimeLeftIsZeroAtTheEnd) {
  TrainingMeter meter;
  TrainingState state;
  state.step = 4;
  state.unreported_tokens = 1;
  meter.add({}, 1);
  EXPECT_GT(meter.report(state, 1, 100).seconds_left, 0);
  EXPECT_EQ(meter.report(state, 1, 4).seconds_left, 0);
}

TEST_P(TrainerReportTest, ReportEveryZeroReportsAtTheEndOnly) {
  auto options = toy_.options();
  options.config.max_steps = 3;
  options.report_every = 0;
  options.report = [this](const TrainingReport& report) { reports_.push_back(report); };
  BatchStream batches = toy_.batches();
  Trainer(toy_.model(), batches, options).run();
  ASSERT_THAT(reports_, SizeIs(1));
  EXPECT_EQ(reports_[0].step, 3);
}

TEST_P(TrainerReportTest, ReportsEstimateTheEnd) {
  auto options = toy_.options();
  options.config.accumulate = 2;
  options.config.max_epochs = 2;
  run(options);
  ASSERT_FALSE(reports_.empty());
  for (const auto& report : reports_) EXPECT_EQ(report.last_step, 2 * updates_an_epoch(2)) << report.step;
  EXPECT_EQ(reports_.back().step, 2 * updates_an_epoch(2));
  reports_.clear();
  options.checkpoints = toy_.checkpoints() / "again";
  options.config.max_steps = 3;
  run(options);
  ASSERT_FALSE(reports_.empty());
  for (const auto& report : reports_) EXPECT_EQ(report.last_step, 3);
}

TEST_P(TrainerReportTest, ReportsAreMeansOverTheTokensSinceTheLast) {
  auto options = toy_.options();
  options.config.max_steps = 5;
  run(options);
  const auto singly = std::exchange(reports_, {});
  ASSERT_THAT(singly, SizeIs(5));
  BatchStream batches = toy_.batches();
  std::vector<double> tokens;
  for (int i = 0; i < 5; ++i) tokens.push_back(static_cast<double>(batches.next().target_tokens()));

  options.report_every = 3;
  options.report = [this](const TrainingReport& report) { reports_.push_back(report); };
  options.checkpoints = toy_.checkpoints() / "again";
  batches = toy_.batches();
  Trainer(toy_.model(), batches, options).run();
  ASSERT_THAT(reports_, SizeIs(2));
  const auto mean = [&](std::size_t begin, std::size_t end) {
    double sum = 0, count = 0;
    for (std::size_t i = begin; i < end; ++i) sum += singly[i].loss * tokens[i], count += tokens[i];
    return sum / count;
  };
  EXPECT_NEAR(reports_[0].loss, mean(0, 3), 1e-6);
  EXPECT_NEAR(reports_[1].loss, mean(3, 5), 1e-6);
  EXPECT_EQ(reports_[1].step, 5);
  EXPECT_GT(reports_[0].tokens_per_second, 0);
}

INSTANTIATE_DEVICES(TrainerReportTest);

}  // namespace
}  // namespace gloss
