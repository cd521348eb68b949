#include "tests/training/resume/resume_test.h"

#include <csignal>
#include <optional>
#include <set>

#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

TEST_P(ResumeTest, ReportsAcrossAStopEqualTheUnbrokenRun) {
  set_up_determinism(1);
  adjust_ = [](Trainer::Options& options) {
    options.report_every = 3;
    options.config.validate_every = 1;
  };
  Trace expected;
  EXPECT_EQ(run(toy(), expected), TrainingEnd::kFinished);
  EXPECT_THAT(expected.losses, testing::ElementsAre(testing::Key(3), testing::Key(6), testing::Key(kSteps)));
  for (std::int64_t stop = 1; stop < kSteps; ++stop) {
    SCOPED_TRACE("stopped after step " + std::to_string(stop + 1));
    const Trace trace = stopped_behind_validation(toy(), stop);
    EXPECT_EQ(stopped_state_.step, stop + 1);
    EXPECT_EQ(stopped_state_.unreported_tokens > 0, stopped_state_.step % 3 != 0);
    expect_equal(trace, expected);
  }
}

TEST_P(ResumeTest, StoppedAfterASkippedUpdateEqualsTheUnbrokenRun) {
  set_up_determinism(1);
  // The embedding of one source word overflows; the third update is the first with this word.
  const auto make_toy = [&] {
    return Toy({.vocabulary = 40, .pairs = 30, .dropout = 0.3, .tie_embeddings = TieEmbeddings::kNone}, device());
  };
  const Toy first = make_toy();
  BatchStream batches = first.batches();
  std::set<Id> before;
  for (int i = 0; i < 2; ++i)
    for (const Ids& source : batches.next().source) before.insert(source.begin(), source.end());
  std::optional<Id> word;
  for (const Ids& source : batches.next().source)
    for (const Id id : source)
      if (!before.contains(id)) word = id;
  ASSERT_TRUE(word.has_value());
  adjust_ = [](Trainer::Options& options) {
    options.config.accumulate = options.config.validate_every = 1;
    options.config.average_last = 0;
  };
  spoil_ = [&](EncoderDecoder& model) {
    const at::NoGradGuard no_grad;
    model->named_parameters()["source_embedding.weight"].select(0, *word).fill_(3e38);
  };
  testing::internal::CaptureStderr();
  Trace expected;
  EXPECT_EQ(run(first, expected), TrainingEnd::kFinished);
  const auto skipped = state_.skipped_updates;
  const Trace trace = stopped_behind_validation(make_toy(), 2);
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(stopped_state_.step, 2);
  EXPECT_EQ(stopped_state_.skipped_updates, 1);
  EXPECT_EQ(stopped_state_.position, (EpochPosition{0, 3}));
  EXPECT_EQ(state_.skipped_updates, skipped);
  expect_equal(trace, expected);
}

TEST_P(ResumeTest, EarlyStoppingKeepsTheSameBestAfterAnyStop) {
  set_up_determinism(1);
  adjust_ = [](Trainer::Options& options) {
    options.config.average_last = 0;
    options.config.validate_every = 1;
    options.config.save_every = 4;
    options.config.keep_checkpoints = 1;
    options.config.learning_rate = 0.3;  // so high that the loss soon rises
    options.config.early_stop = {EarlyStopMetric::kLoss, 3};
    options.config.max_steps = 20;
  };
  Trace expected;
  EXPECT_EQ(run(toy(), expected), TrainingEnd::kEarlyStop);
  const auto best = kept_steps_;
  ASSERT_EQ(state_.step, best.front() + 3);
  for (std::int64_t stop = 1; stop < best.front() + 3; ++stop) {
    SCOPED_TRACE("stopped after step " + std::to_string(stop + 1));
    expect_equal(stopped_behind_validation(toy(), stop), expected);
    EXPECT_EQ(kept_steps_, best);
  }
}

TEST_P(ResumeTest, FinishedRunHasNothingLeftToDo) {
  set_up_determinism(1);
  const Toy place = toy();
  Trace trace, again;
  run(place, trace);
  again.losses[0] = 0;  // other initial weights
  EXPECT_EQ(run(place, again), TrainingEnd::kFinished);
  EXPECT_EQ(again.losses.size(), 1u);
  again.losses = trace.losses;
  again.validations = trace.validations;
  expect_equal(again, trace);
}

TEST_P(ResumeTest, NothingSavedIsAFreshStart) {
  const Toy place = toy();
  BatchStream batches = place.batches();
  EXPECT_FALSE(Trainer(place.model(), batches, options(place)).resume());
}

TEST_P(ResumeTest, ChangedHashesAreRefusedByName) {
  const Toy place = toy();
  Trace trace;
  run(place, trace, [](std::int64_t step) {
    if (step == 1) std::raise(SIGINT);
  });
  BatchStream batches = place.batches();
  auto changed = options(place);
  changed.hashes = {{"config", "abc"}, {"train", "other"}, {"tokenizer", "new"}};
  EXPECT_THAT([&] { Trainer(place.model(), batches, changed).resume(); },
              ThrowsMessage<UsageError>(AllOf(HasSubstr("tokenizer, train"), Not(HasSubstr("config")))));
}

TEST_P(ResumeTest, WarnsOfAVersionWithoutShards) {
  const Toy place = toy();
  Trace trace;
  run(place, trace, [](std::int64_t step) {
    if (step == 1) std::raise(SIGINT);
  });
  CheckpointFolder folder(place.checkpoints(), 3);
  auto saved = folder.newest();
  ASSERT_TRUE(saved.has_value());
  EXPECT_EQ(saved->state.shards, options(place).config.shards);
  saved->state.shards = 0;
  folder.save(saved->file.tensors(), saved->state);
  BatchStream batches = place.batches();
  auto model = place.model();
  Trainer trainer(model, batches, options(place));
  testing::internal::CaptureStderr();
  EXPECT_TRUE(trainer.resume());
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("did not cut batches into shards"));
  EXPECT_EQ(trainer.state().shards, options(place).config.shards) << "the next checkpoint has them";
}

TEST_P(ResumeTest, WarnsOfAnotherKindOfDevice) {
  const Toy place = toy();
  Trace trace;
  run(place, trace, [](std::int64_t step) {
    if (step == 1) std::raise(SIGINT);
  });
  CheckpointFolder folder(place.checkpoints(), 3);
  auto saved = folder.newest();
  ASSERT_TRUE(saved.has_value());
  const std::string here = device().is_cpu() ? "cpu" : kGpu;
  EXPECT_EQ(saved->state.device, here);
  saved->state.device = "abacus";
  folder.save(saved->file.tensors(), saved->state);
  BatchStream batches = place.batches();
  auto same = options(place);
  testing::internal::CaptureStderr();
  Trainer trainer(place.model(), batches, same);
  EXPECT_TRUE(trainer.resume());
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("saved on device abacus and continues with device " + here));
  EXPECT_EQ(trainer.state().device, here);
}

TEST_P(ResumeTest, CheckpointOfAnotherModelIsRefused) {
  const Toy place = toy();
  Trace trace;
  run(place, trace, [](std::int64_t step) {
    if (step == 1) std::raise(SIGINT);
  });
  BatchStream batches = place.batches();
  const Toy untied({.vocabulary = 1500, .pairs = 5, .tie_embeddings = TieEmbeddings::kNone}, device());
  EXPECT_THAT([&] { Trainer(untied.model(), batches, options(place)).resume(); },
              ThrowsMessage<ModelError>(HasSubstr("generator.weight: missing")));
  const Toy wider({.vocabulary = 1501, .pairs = 5}, device());
  EXPECT_THROW(Trainer(wider.model(), batches, options(place)).resume(), ModelError);
}

INSTANTIATE_DEVICES(ResumeTest);

}  // namespace
}  // namespace gloss
