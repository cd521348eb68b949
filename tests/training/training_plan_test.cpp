#include "training/training_plan.h"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/system/signals.h"
#include "tests/training/trainer_test.h"

namespace gloss {
namespace {

class TrainingPlanTest : public TrainerTest {};

TEST_P(TrainingPlanTest, HourLimitEndsARun) {
  TrainingConfig config;
  config.max_hours = 2;
  const BatchStream batches = toy_.batches();
  const TrainingPlan plan(config, batches);
  TrainingState state;
  state.step = 10;
  state.seconds = 7199;
  EXPECT_FALSE(plan.limit_reached(state));
  state.seconds = 7200;
  EXPECT_TRUE(plan.limit_reached(state));
  config.max_hours.reset();
  EXPECT_FALSE(plan.limit_reached(state));
}

TEST_P(TrainingPlanTest, EndIsEstimatedFromThePace) {
  TrainingConfig config;
  config.max_hours = 1;
  const BatchStream batches = toy_.batches();
  const TrainingPlan plan(config, batches);
  TrainingState state;
  state.step = 10;
  state.seconds = 3000;
  EXPECT_EQ(plan.last_step(state, 60), 20);
  EXPECT_EQ(plan.last_step(state, 0), config.step_limit()) << "nothing is known yet";
  state.seconds = 4000;
  EXPECT_EQ(plan.last_step(state, 60), 10);
  state.seconds = 0;
  config.max_steps = 12;
  EXPECT_EQ(plan.last_step(state, 60), 12) << "another limit is nearer";
}

TEST_P(TrainingPlanTest, RunBeyondItsTimeLimitEndsWithAModel) {
  auto options = toy_.options();
  options.config.max_steps = 1000;
  options.config.max_hours = 1e-12;
  EXPECT_EQ(run(options), TrainingEnd::kFinished);
  EXPECT_LE(state_.step, 1);
  EXPECT_THAT(toy_.saved(), testing::SizeIs(1));
}

TEST_P(TrainingPlanTest, SecondsAreSummedOverResumedRuns) {
  auto options = toy_.options();
  options.config.max_steps = 2;
  run(options);
  const double before = state_.seconds;
  EXPECT_GT(before, 0);
  options.config.max_steps = 3;
  BatchStream batches = toy_.batches();
  Trainer trainer(toy_.model(), batches, options);
  ASSERT_TRUE(trainer.resume());
  EXPECT_GT(trainer.state().seconds, 0);
  EXPECT_LE(trainer.state().seconds, before);
  trainer.run();
  EXPECT_GT(trainer.state().seconds, before);
}

TEST_P(TrainingPlanTest, TheLargestLimitsFitTogether) {
  Trainer::Options options = toy_.options();
  options.config.max_steps.reset();
  options.config.max_epochs = (std::int64_t{1} << 31) - 1;
  options.config.accumulate = (std::int64_t{1} << 31) - 1;
  const StopOnSignal stop;
  options.progress = [](const TrainingProgress& progress) {
    EXPECT_EQ(progress.last_step, (std::int64_t{1} << 31) - 1) << "an update an epoch";
    std::raise(SIGTERM);
  };
  EXPECT_EQ(run(options), TrainingEnd::kStopped);
  EXPECT_EQ(state_.step, 1);
}

TEST_P(TrainingPlanTest, StepLimitAppliesToManyEpochs) {
  Trainer::Options options = toy_.options();
  options.config.max_steps.reset();
  options.config.max_epochs = (std::int64_t{1} << 31) - 1;
  ASSERT_GT(batches_an_epoch(), 2);
  const StopOnSignal stop;
  options.progress = [](const TrainingProgress& progress) {
    EXPECT_EQ(progress.last_step, (std::int64_t{1} << 32) - 1);
    std::raise(SIGTERM);
  };
  EXPECT_EQ(run(options), TrainingEnd::kStopped);
}

INSTANTIATE_DEVICES(TrainingPlanTest);

}  // namespace
}  // namespace gloss
