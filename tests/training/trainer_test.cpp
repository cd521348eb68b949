#include "training/trainer.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <fstream>

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/system/signals.h"
#include "common/system/stop.h"
#include "tests/training/trainer_test.h"
#include "training/checkpoint.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::ThrowsMessage;

/// The exchange of a process after the other one has ended because of a signal, which its heartbeat has passed on.
class EndedExchange final : public Exchange {
 public:
  EndedExchange() : Exchange(0, 2) {}

  at::Tensor all_to_all(const at::Tensor&, const std::vector<std::int64_t>&) override { fail(); }
  at::Tensor all_gather(const at::Tensor&) override { fail(); }
  at::Tensor gather(const at::Tensor&) override { fail(); }

 private:
  [[noreturn]] static void fail() {
    request_stop(ExitCode::kTerminated);
    stop_where_requested();
    throw LostProcessError("another process of this run has ended");
  }
};

TEST_P(TrainerTest, LearnsToCopy) {
  toy_ = Toy({.vocabulary = 8, .pairs = 200, .max_words = 3, .batch_tokens = 128, .d_model = 32}, device());
  auto options = toy_.options();
  options.config.max_steps = 300;
  options.config.label_smoothing = 0.1;
  options.config.learning_rate = 0.004;  // at a higher rate the last losses fluctuate
  EXPECT_EQ(run(options), TrainingEnd::kFinished);
  EXPECT_GT(reports_.front().loss, 1.5);
  EXPECT_LT(reports_.back().loss, 0.1);
}

TEST_P(TrainerTest, NextBatchReachesAGpuDuringTheUpdateBefore) {
  if (device().is_cpu() || kGpu != "stand_in") GTEST_SKIP() << "the stand-in device counts copies";
  toy_ = Toy({.pairs = 60, .max_words = 1}, device());  // batches without padding
  auto options = toy_.options();
  options.config.max_epochs = 1;
  std::vector<std::int64_t> copies;  // of each update
  options.progress = [&](const auto&) {
    copies.push_back(stand_in_counts().to_device);
    reset_stand_in_counts();
  };
  run(options);
  ASSERT_GT(copies.size(), 2U);
  EXPECT_EQ(copies.back(), copies[1] - 3) << "the last one has no next batch: sources, inputs and labels";
}

TEST_P(TrainerTest, AStopOfAnotherProcessBeforeTheFirstUpdateIsAStop) {
  EndedExchange exchange;
  auto options = toy_.options();
  options.exchange = &exchange;
  EXPECT_THROW(run(options), Stopped);
  EXPECT_THAT(toy_.saved(), IsEmpty());
}

TEST_P(TrainerTest, NoStepsLeaveTheFreshWeights) {
  auto options = toy_.options();
  options.config.max_steps = 0;
  EXPECT_EQ(run(options), TrainingEnd::kFinished);
  const auto fresh = weights_of(toy_.model());
  for (const auto& [name, weight] : weights_of(model_)) EXPECT_TRUE(weight.equal(fresh.at(name))) << name;
  EXPECT_THAT(toy_.saved(), ElementsAre("step-00000000.safetensors"));
}

TEST_P(TrainerTest, FirstLimitEndsTheRun) {
  ASSERT_GT(batches_an_epoch(), 2);
  auto options = toy_.options();
  options.config.accumulate = batches_an_epoch() - 1;  // the second update of an epoch has one batch
  options.config.max_epochs = 2;
  run(options);
  EXPECT_EQ(state_.step, 4);
  EXPECT_EQ(reports_.back().epoch, 2);
  options.config.max_steps = 3;
  run(options);
  EXPECT_EQ(state_.step, 3);
}

TEST_P(TrainerTest, ValidatesEveryNStepsWithoutGradients) {
  auto options = toy_.options();
  options.config.max_steps = 7;
  options.config.validate_every = 3;
  bool recording = false;
  options.validate = [&](EncoderDecoder&, std::int64_t step) {
    recording = recording || at::GradMode::is_enabled();
    validated_.push_back(step);
    return Validation{};
  };
  run(options);
  EXPECT_THAT(validated_, ElementsAre(3, 6));
  EXPECT_FALSE(recording);
}

TEST_P(TrainerTest, ValidatesAndSavesAtTheEndOfEachEpochByDefault) {
  auto options = toy_.options();
  options.config.max_epochs = 3;
  options.config.accumulate = 2;
  run_validated(options);
  const auto n = updates_an_epoch(2);
  EXPECT_THAT(validated_, ElementsAre(n, 2 * n, 3 * n));
  EXPECT_THAT(toy_.saved(), ElementsAre(checkpoint_name(n), checkpoint_name(2 * n), checkpoint_name(3 * n)));
}

TEST_P(TrainerTest, SavesEveryNStepsAndAtTheEndAndKeepsTheNewest) {
  auto options = toy_.options();
  options.config.max_steps = 7;
  options.config.save_every = 2;
  options.config.keep_checkpoints = 2;
  run(options);
  EXPECT_THAT(toy_.saved(), ElementsAre("step-00000006.safetensors", "step-00000007.safetensors"));
}

TEST_P(TrainerTest, BrokenUpdatesAreSkippedAndCounted) {
  // One source sentence has a word whose embedding overflows; updates without it succeed.
  toy_ = Toy({.vocabulary = 40, .pairs = 30, .tie_embeddings = TieEmbeddings::kNone}, device());
  const std::int64_t word = toy_.corpus().source(0).front();
  auto options = toy_.options();
  options.config.max_epochs = 8;
  options.report_every = 1;
  options.report = [this](const TrainingReport& report) { reports_.push_back(report); };
  BatchStream batches = toy_.batches();
  const std::int64_t all = *options.config.max_epochs * batches_an_epoch();
  std::int64_t broken = 0, in_a_row = 0, max_in_a_row = 0;
  for (std::int64_t i = 0; i < all; ++i) {
    bool has_word = false;
    for (const Ids& source : batches.next().source) has_word = has_word || std::ranges::count(source, word) > 0;
    broken += has_word;
    in_a_row = has_word ? in_a_row + 1 : 0;
    max_in_a_row = std::max(max_in_a_row, in_a_row);
  }
  ASSERT_GT(broken, 10) << "in all, but not in a row";
  ASSERT_LT(max_in_a_row, 10);

  batches = toy_.batches();
  auto model = toy_.model();
  {
    const at::NoGradGuard no_grad;
    model->named_parameters()["source_embedding.weight"].select(0, word).fill_(3e38);
  }
  testing::internal::CaptureStderr();
  Trainer trainer(model, batches, options);
  EXPECT_EQ(trainer.run(), TrainingEnd::kFinished);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("this update is skipped"));
  EXPECT_EQ(trainer.state().skipped_updates, broken);
  EXPECT_EQ(trainer.state().step, all - broken);
  ASSERT_FALSE(reports_.empty());
  for (const auto& report : reports_) EXPECT_TRUE(std::isfinite(report.loss));
}

TEST_P(TrainerTest, TenBrokenUpdatesInARowEndTheRunAndSaveNothing) {
  auto options = toy_.options();
  options.config.save_every = 1;
  BatchStream batches = toy_.batches();
  auto model = toy_.model();
  {
    const at::NoGradGuard no_grad;
    model->named_parameters()["generator.bias"].fill_(std::nan(""));
  }
  Trainer trainer(model, batches, options);
  testing::internal::CaptureStderr();
  EXPECT_THAT([&] { trainer.run(); }, ThrowsMessage<DivergedError>(HasSubstr("10 updates in a row")));
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(trainer.state().skipped_updates, 10);
  EXPECT_EQ(trainer.state().step, 0);
  EXPECT_THAT(toy_.saved(), SizeIs(0));
}

TEST_P(TrainerTest, NonFiniteWeightsNeverReplaceGoodOnes) {
  auto options = toy_.options();
  options.config.save_every = 1;
  options.config.schedule = ScheduleKind::kInverseSqrt;
  options.config.warmup_steps = 1;
  options.config.learning_rate = 1e40;
  EXPECT_THAT([&] { run(options); }, ThrowsMessage<DivergedError>(HasSubstr("wanted finite weights")));
  EXPECT_THAT(toy_.saved(), SizeIs(0));
}

TEST_P(TrainerTest, FailedSaveIsAWarningAndAtTheEndAnError) {
  std::ofstream(toy_.checkpoints()) << "a file where the folder should be";
  auto options = toy_.options();
  options.config.max_steps = 3;
  options.config.save_every = 1;
  testing::internal::CaptureStderr();
  EXPECT_THROW(run(options), IoError);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("training continues"));
  EXPECT_THAT(reports_, SizeIs(3));
}

TEST_P(TrainerTest, SaveNeededByTheModelIsTriedTwice) {
  std::ofstream(toy_.checkpoints()) << "a file where the folder should be";
  auto options = toy_.options();
  options.config.max_steps = 3;
  options.config.save_every = 2;
  options.config.average_last = 2;
  testing::internal::CaptureStderr();
  EXPECT_THROW(run(options), IoError);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("trying once more"));
  EXPECT_THAT(reports_, SizeIs(2)) << "not one of the steps after it";

  reports_.clear();
  options.config.save_every = 100;
  options.config.average_last = 0;
  options.config.validate_every = 1;
  options.config.early_stop = {EarlyStopMetric::kLoss, 9};
  testing::internal::CaptureStderr();
  EXPECT_THROW(run_validated(options, {{2, {}}, {3, {}}, {4, {}}}), IoError);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("trying once more"));
  EXPECT_THAT(reports_, SizeIs(1));
}

TEST_P(TrainerTest, InterruptedValidationDoesNotCount) {
  Trainer::Options options = toy_.options();
  options.config.max_steps = 2;
  options.config.validate_every = 2;
  {
    const StopOnSignal stop;
    options.validate = [](EncoderDecoder&, std::int64_t) {
      std::raise(SIGINT);
      stop_where_requested();
      return Validation{};
    };
    EXPECT_EQ(run(options), TrainingEnd::kStopped);
  }
  EXPECT_EQ(state_.step, 2);
  EXPECT_EQ(state_.validated_step, 0);
  const StopOnSignal forgets_the_last_signal;
  Steps validated;
  options.validate = [&](EncoderDecoder&, std::int64_t step) {
    validated.push_back(step);
    return Validation{};
  };
  BatchStream batches = toy_.batches();
  Trainer trainer(toy_.model(), batches, options);
  ASSERT_TRUE(trainer.resume());
  EXPECT_EQ(trainer.run(), TrainingEnd::kFinished);
  EXPECT_EQ(validated, Steps{2});
}

INSTANTIATE_DEVICES(TrainerTest);

}  // namespace
}  // namespace gloss
