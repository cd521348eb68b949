#include <csignal>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/signals.h"
#include "tests/support/device_test.h"
#include "tests/training/toy_run.h"
#include "training/determinism.h"
#include "training/trainer.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

constexpr std::int64_t kSteps = 7;

struct Killed {};

// Everything that a run leaves: to be equal to the last bit on a CPU, close on a GPU.
struct Trace {
  std::map<std::int64_t, double> losses;       ///< by step
  std::map<std::int64_t, double> validations;  ///< loss by step
  std::map<std::string, at::Tensor> weights;   ///< averaged
  std::string last_checkpoint;                 ///< its bytes
};

class ResumeTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    threads_before_ = at::get_num_threads();
  }
  void TearDown() override {
    at::set_num_threads(threads_before_);
    const StopOnSignal forgets_the_last_signal;
  }

  // A vocabulary so large that LibTorch divides the work on two threads; dropout and accumulation are on, an epoch ends
  // within the run, and validations, saves and the average are out of step with each other.
  Toy toy() const {
    return Toy({.vocabulary = 1500, .pairs = 60, .max_words = 12, .batch_tokens = 100, .dropout = 0.3}, device());
  }

  Trainer::Options options(const Toy& toy) const {
    auto options = toy.options();
    options.config.max_steps = kSteps;
    options.config.accumulate = 2;
    options.config.clip_norm = 1;
    options.config.save_every = 3;
    options.config.average_last = 3;
    options.config.validate_every = 2;
    options.config.early_stop.metric = EarlyStopMetric::kLoss;
    options.threads = at::get_num_threads();
    options.hashes = {{"config", "abc"}, {"train", "def"}};
    options.validate = [](EncoderDecoder&, std::int64_t) { return Validation{}; };
    return options;
  }

  // A process' part of a run: a model with other fresh weights, memory laid out otherwise, a trainer of its own.
  // `interrupt` is called after each step and may raise a signal or throw Killed.
  TrainingEnd run(const Toy& toy, Trace& trace, const std::function<void(std::int64_t)>& interrupt = {}) {
    ++process_;
    std::vector<at::Tensor> stray;
    for (std::int64_t i = 0; i < process_ % 5 * 7; ++i) stray.push_back(at::empty({1000 * i + 13}));
    auto model = toy.model(trace.losses.empty() ? 1 : 99);
    BatchStream batches = toy.batches();
    auto run_options = options(toy);
    run_options.report_every = 1;
    if (adjust_) adjust_(run_options);
    if (spoil_ && trace.losses.empty()) spoil_(model);
    run_options.report = [&](const TrainingReport& report) {
      trace.losses[report.step] = report.loss;
      if (interrupt) interrupt(report.step);
    };
    run_options.validate = [&](EncoderDecoder& trained, std::int64_t step) {
      const std::vector<std::int64_t> some = {0, 1, 2};
      const Loss loss = batch_loss(trained, toy.corpus().batch(some), 0, {});
      trace.validations[step] = loss.nll_sum.item<double>() / static_cast<double>(loss.tokens);
      if (step == stop_behind_validation_) std::raise(SIGTERM);
      return Validation{trace.validations[step], {}};
    };
    const StopOnSignal stop;
    if (interrupt) interrupt(0);
    Trainer trainer(model, batches, run_options);
    trainer.resume();
    const auto end = trainer.run();
    state_ = trainer.state();
    kept_steps_ = trainer.kept_steps();
    trace.weights = weights_of(model);
    if (!toy.saved().empty()) {
      std::ifstream file(toy.checkpoints() / toy.saved().back(), std::ios::binary);
      trace.last_checkpoint.assign(std::istreambuf_iterator<char>(file), {});
    }
    return end;
  }

  void expect_equal(const Trace& trace, const Trace& unbroken) const {
    if (device().is_cpu()) {
      EXPECT_EQ(trace.losses, unbroken.losses);
      EXPECT_EQ(trace.validations, unbroken.validations);
      EXPECT_EQ(trace.last_checkpoint, unbroken.last_checkpoint);
    }
    ASSERT_EQ(trace.weights.size(), unbroken.weights.size());
    for (const auto& [name, weight] : unbroken.weights)
      EXPECT_TRUE(device().is_cpu() ? weight.equal(trace.weights.at(name))
                                    : weight.allclose(trace.weights.at(name), 1e-3, 1e-4))
          << name;
  }

  Trace unbroken() {
    Trace trace;
    const Toy place = toy();
    EXPECT_EQ(run(place, trace), TrainingEnd::kFinished);
    EXPECT_EQ(trace.losses.size(), static_cast<std::size_t>(kSteps));
    EXPECT_EQ(trace.validations.size(), static_cast<std::size_t>(kSteps / 2));
    EXPECT_GT(place.batches().batches_in_epoch(), 2);
    EXPECT_LT(place.batches().batches_in_epoch(), 2 * kSteps) << "wanted an epoch that ends within the run";
    return trace;
  }

  // A run that is stopped behind the update that follows the validation at step `stop`, and goes on.
  Trace stopped_behind_validation(const Toy& place, std::int64_t stop) {
    Trace trace;
    stop_behind_validation_ = stop;
    EXPECT_EQ(run(place, trace), TrainingEnd::kStopped);
    stop_behind_validation_ = -1;
    stopped_state_ = state_;
    trace.losses.emplace(0, 0);  // other fresh weights
    EXPECT_NE(run(place, trace), TrainingEnd::kStopped);
    trace.losses.erase(0);
    return trace;
  }

  std::int64_t process_ = 0;
  std::function<void(Trainer::Options&)> adjust_;
  std::function<void(EncoderDecoder&)> spoil_;  ///< of fresh weights
  std::int64_t stop_behind_validation_ = -1;
  TrainingState state_, stopped_state_;
  std::vector<std::int64_t> kept_steps_;

 private:
  int threads_before_ = 1;
};

TEST_P(ResumeTest, StoppedAfterAnyStepEqualsTheUnbrokenRun) {
  for (const int threads : {1, 2}) {
    set_up_determinism(threads);
    const Trace wanted = unbroken();
    for (std::int64_t stop = 0; stop <= kSteps; ++stop) {
      SCOPED_TRACE(std::to_string(threads) + " threads, stopped after step " + std::to_string(stop));
      const Toy place = toy();
      Trace trace;
      const auto interrupt = [&](std::int64_t step) {
        if (step == stop) std::raise(SIGTERM);
      };
      EXPECT_EQ(run(place, trace, interrupt), TrainingEnd::kStopped);
      EXPECT_EQ(run(place, trace), TrainingEnd::kFinished);
      expect_equal(trace, wanted);
    }
  }
}

TEST_P(ResumeTest, StoppedAfterEveryStepEqualsTheUnbrokenRun) {
  set_up_determinism(2);
  const Trace wanted = unbroken();
  const Toy place = toy();
  Trace trace;
  std::int64_t parts = 0;
  const auto interrupt = [](std::int64_t step) {
    if (step > 0) std::raise(SIGINT);
  };
  while (run(place, trace, interrupt) == TrainingEnd::kStopped) ASSERT_LE(++parts, kSteps);
  EXPECT_EQ(parts, kSteps);
  expect_equal(trace, wanted);
}

TEST_P(ResumeTest, KilledAfterAnyStepEqualsTheUnbrokenRun) {
  set_up_determinism(1);
  const Trace wanted = unbroken();
  for (std::int64_t kill = 1; kill <= kSteps; ++kill) {
    SCOPED_TRACE("killed after step " + std::to_string(kill));
    const Toy place = toy();
    Trace trace;
    const auto interrupt = [&](std::int64_t step) {
      if (step == kill) throw Killed();
    };
    EXPECT_THROW(run(place, trace, interrupt), Killed);
    if (place.saved().empty()) trace.losses.clear();  // from the start, with the weights of the start
    EXPECT_EQ(run(place, trace), TrainingEnd::kFinished);
    expect_equal(trace, wanted);
  }
}

TEST_P(ResumeTest, ReportsThatSpanAStopEqualThoseOfTheUnbrokenRun) {
  set_up_determinism(1);
  adjust_ = [](Trainer::Options& options) {
    options.report_every = 3;
    options.config.validate_every = 1;
  };
  Trace wanted;
  EXPECT_EQ(run(toy(), wanted), TrainingEnd::kFinished);
  EXPECT_THAT(wanted.losses, testing::ElementsAre(testing::Key(3), testing::Key(6), testing::Key(kSteps)));
  for (std::int64_t stop = 1; stop < kSteps; ++stop) {
    SCOPED_TRACE("stopped after step " + std::to_string(stop + 1));
    const Trace trace = stopped_behind_validation(toy(), stop);
    EXPECT_EQ(stopped_state_.step, stop + 1);
    EXPECT_EQ(stopped_state_.unreported_tokens > 0, stopped_state_.step % 3 != 0);
    expect_equal(trace, wanted);
  }
}

TEST_P(ResumeTest, StoppedBehindASkippedUpdateEqualsTheUnbrokenRun) {
  set_up_determinism(1);
  // A word of one sentence's source overflows; the third update is the first that meets it.
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
  Trace wanted;
  EXPECT_EQ(run(first, wanted), TrainingEnd::kFinished);
  const auto skipped = state_.skipped_updates;
  const Trace trace = stopped_behind_validation(make_toy(), 2);
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(stopped_state_.step, 2);
  EXPECT_EQ(stopped_state_.skipped_updates, 1);
  EXPECT_EQ(stopped_state_.position, (EpochPosition{0, 3}));
  EXPECT_EQ(state_.skipped_updates, skipped);
  expect_equal(trace, wanted);
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
  Trace wanted;
  EXPECT_EQ(run(toy(), wanted), TrainingEnd::kEarlyStop);
  const auto best = kept_steps_;
  ASSERT_EQ(state_.step, best.front() + 3);
  for (std::int64_t stop = 1; stop < best.front() + 3; ++stop) {
    SCOPED_TRACE("stopped after step " + std::to_string(stop + 1));
    expect_equal(stopped_behind_validation(toy(), stop), wanted);
    EXPECT_EQ(kept_steps_, best);
  }
}

TEST_P(ResumeTest, FinishedRunHasNothingLeftToDo) {
  set_up_determinism(1);
  const Toy place = toy();
  Trace trace, again;
  run(place, trace);
  again.losses[0] = 0;  // other fresh weights
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

TEST_P(ResumeTest, OtherNumberOfThreadsIsWarnedOf) {
  const Toy place = toy();
  Trace trace;
  run(place, trace, [](std::int64_t step) {
    if (step == 1) std::raise(SIGINT);
  });
  BatchStream batches = place.batches();
  auto changed = options(place);
  const auto before = changed.threads;
  changed.threads += 3;
  testing::internal::CaptureStderr();
  EXPECT_TRUE(Trainer(place.model(), batches, changed).resume());
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("saved with " + std::to_string(before) + " threads and goes on with " +
                        std::to_string(changed.threads)));
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
