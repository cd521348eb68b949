#include "training/training_plan.h"

#include <cmath>
#include <csignal>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
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

using testing::Contains;
using testing::HasSubstr;
using testing::ThrowsMessage;

class EarlyStopTest : public TrainerTest {};

TEST_P(EarlyStopTest, StopsEarlyAfterPatienceValidationsWithoutALowerLoss) {
  auto options = toy_.options();
  options.config.max_steps = 9;
  options.config.validate_every = 1;
  options.config.early_stop = {EarlyStopMetric::kLoss, 2};
  EXPECT_EQ(run_validated(options, {{5, {}}, {4, {}}, {4, {}}, {3, {}}, {3.5, {}}, {std::nan(""), {}}}),
            TrainingEnd::kEarlyStop);
  EXPECT_EQ(state_.step, 6);
  EXPECT_EQ(state_.best_score, 3);
  EXPECT_THAT(toy_.saved(), Contains("step-00000006.safetensors"));
}

TEST_P(EarlyStopTest, StopsEarlyByBleuHigherIsBetter) {
  auto options = toy_.options();
  options.config.max_steps = 9;
  options.config.validate_every = 1;
  options.config.early_stop = {EarlyStopMetric::kBleu, 1};
  EXPECT_EQ(run_validated(options, {{5, 10}, {6, 20}, {4, 15}}), TrainingEnd::kEarlyStop);
  EXPECT_EQ(state_.step, 3);
  EXPECT_EQ(state_.best_score, 20);
}

TEST_P(EarlyStopTest, StopsEarlyByPerplexityLowerIsBetter) {
  auto options = toy_.options();
  options.config.max_steps = 9;
  options.config.validate_every = 1;
  options.config.early_stop = {EarlyStopMetric::kPerplexity, 2};
  EXPECT_EQ(run_validated(options, {{5, 1}, {3, 2}, {4, 3}, {1e4, 4}}), TrainingEnd::kEarlyStop);
  EXPECT_EQ(state_.step, 4);
  EXPECT_EQ(state_.best_step, 2);
  EXPECT_EQ(state_.best_score, std::exp(3));
}

TEST_P(EarlyStopTest, TheBestLossAndBleuAreNotedWithTheirSteps) {
  auto options = toy_.options();
  options.config.max_steps = 4;
  options.config.validate_every = 1;
  run_validated(options, {{5, 10}, {3, 9}, {std::nan(""), 12}, {4, 11}});
  const auto& [start_loss, start_bleu, loss, bleu] = state_.scores;
  EXPECT_FALSE(start_loss || start_bleu);
  EXPECT_EQ(std::pair(loss->value, loss->step), std::pair(3.0, std::int64_t{2}));
  EXPECT_EQ(std::pair(bleu->value, bleu->step), std::pair(12.0, std::int64_t{3}));
}

TEST_P(EarlyStopTest, TheStartIsValidatedOnceAndIsNoCheckpoint) {
  auto options = toy_.options();
  options.config.max_steps = 3;
  options.config.validate_every = 1;
  options.config.early_stop = {EarlyStopMetric::kBleu, 2};
  options.validates_start = true;
  std::vector<std::int64_t> reported;
  options.validated = [&](const TrainingState& state, std::int64_t last_step) {
    reported.push_back(state.step);
    EXPECT_EQ(last_step, 3);
  };
  EXPECT_EQ(run_validated(options, {{1, 50}, {5, 10}, {5, 20}, {5, 15}}), TrainingEnd::kFinished);
  EXPECT_THAT(reported, testing::ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(state_.scores.start_bleu->value, 50);
  EXPECT_EQ(state_.scores.best_bleu->step, 0);
  EXPECT_EQ(state_.best_step, 2) << "the best checkpoint of the run";
}

TEST_P(EarlyStopTest, WithoutPatienceNothingStopsEarly) {
  auto options = toy_.options();
  options.config.max_steps = 5;
  options.config.validate_every = 1;
  EXPECT_EQ(run_validated(options, {{1, {}}, {2, {}}, {3, {}}, {4, {}}}), TrainingEnd::kFinished);
}

TEST_P(EarlyStopTest, EarlyStoppingWithoutValidationIsRefused) {
  auto options = toy_.options();
  options.config.early_stop.patience = 1;
  EXPECT_THAT([&] { run(options); }, ThrowsMessage<UsageError>(HasSubstr("training.early_stop.patience")));
}

INSTANTIATE_DEVICES(EarlyStopTest);

class NoteValidationTest : public testing::Test {
 protected:
  void note(std::int64_t step, const Validation& validation, EarlyStopMetric metric, std::int64_t patience = 2) {
    state_.step = step;
    note_validation(state_, validation, {metric, patience});
  }

  TrainingState state_;
};

TEST_F(NoteValidationTest, FirstIsBestAndEqualIsNotBetter) {
  for (const auto metric : {EarlyStopMetric::kBleu, EarlyStopMetric::kLoss, EarlyStopMetric::kPerplexity}) {
    state_ = {};
    note(3, {2, 20}, metric);
    EXPECT_EQ(state_.best_step, 3);
    note(6, {2, 20}, metric);
    EXPECT_EQ(state_.best_step, 3);
    EXPECT_EQ(state_.validations_without_gain, 1);
    EXPECT_EQ(state_.validated_step, 6);
  }
}

TEST_F(NoteValidationTest, NonFiniteValueIsNeverBest) {
  note(1, {std::nan(""), {}}, EarlyStopMetric::kLoss);
  note(2, {-std::numeric_limits<double>::infinity(), {}}, EarlyStopMetric::kLoss);
  note(3, {1e4, {}}, EarlyStopMetric::kPerplexity);
  note(4, {1, std::nan("")}, EarlyStopMetric::kBleu);
  EXPECT_FALSE(state_.best_score.has_value());
  EXPECT_EQ(state_.best_step, 0);
  EXPECT_EQ(state_.validations_without_gain, 4);
}

TEST_F(NoteValidationTest, MissingBleuIsRefusedIfStoppingUsesIt) {
  EXPECT_THAT(
      [&] {
        note(1, {1, {}}, EarlyStopMetric::kBleu);
      },
      ThrowsMessage<UsageError>(HasSubstr("training.early_stop.metric")));
  EXPECT_NO_THROW(note(1, {1, {}}, EarlyStopMetric::kBleu, /*patience=*/0));
  EXPECT_EQ(state_.best_step, 0);
}

}  // namespace

}  // namespace gloss
