#include <csignal>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "model/fast/matrix_product.h"
#include "tests/training/resume/resume_test.h"

namespace gloss {
namespace {

class ExactResumeTest : public ResumeTest {
 protected:
  /// The event at which a process ends, at some step.
  enum class End { kStopped, kStoppedInValidation, kValidationCutShort, kKilled, kKilledInValidation };

  // Runs the first part of a run up to `end`; returns false if that is not reached.
  bool run_until(End end, std::int64_t step, const Toy& place, Trace& trace) {
    std::function<void(std::int64_t)> interrupt;
    if (end == End::kStoppedInValidation) stop_after_validation_ = step;
    if (end == End::kValidationCutShort) cut_validation_ = step;
    if (end == End::kKilledInValidation) kill_in_validation_ = step;
    if (end == End::kStopped || end == End::kKilled)
      interrupt = [end, step](std::int64_t done) {
        if (done != step) return;
        if (end == End::kKilled) throw Killed();
        std::raise(SIGTERM);
      };
    bool ended = false;
    try {
      ended = run(place, trace, interrupt) == TrainingEnd::kStopped;
    } catch (const Killed&) {
      ended = true;
      if (place.saved().empty()) trace = {};  // restart from the initial weights
    }
    stop_after_validation_ = cut_validation_ = kill_in_validation_ = -1;
    return ended;
  }

  /// Every step on the CPU. An operator of the stand-in device opens and closes memory, which takes longer, so
  /// there every third: before the first update, and where a checkpoint is due, without and with a validation.
  static std::int64_t stride() { return device().is_cpu() ? 1 : 3; }

  // A run interrupted by `end` at each step in turn, once per step, equals an unbroken one, with any number of threads.
  void expect_exact(End end, std::int64_t min_ends) {
    expect_exact(end, 1, min_ends);
    if (device().is_cpu()) expect_exact(end, 2, min_ends);
  }
  void expect_exact(End end, int threads, std::int64_t min_ends) {
    set_up_determinism(threads);
    const Trace expected = unbroken();
    std::int64_t ends = 0;
    for (std::int64_t step = 0; step <= kSteps; step += stride()) {
      SCOPED_TRACE(std::to_string(threads) + " threads, ended at step " + std::to_string(step));
      const Toy place = toy();
      Trace trace;
      if (!run_until(end, step, place, trace)) continue;
      ++ends;
      EXPECT_EQ(run(place, trace), TrainingEnd::kFinished);
      expect_equal(trace, expected);
    }
    EXPECT_GE(ends, min_ends / stride());
  }
};

TEST_P(ExactResumeTest, StoppedAfterAnyUpdate) { expect_exact(End::kStopped, kSteps + 1); }

TEST_P(ExactResumeTest, StoppedInAnyValidation) { expect_exact(End::kStoppedInValidation, kSteps / 2); }

TEST_P(ExactResumeTest, WithAnyValidationInterrupted) { expect_exact(End::kValidationCutShort, kSteps / 2); }

TEST_P(ExactResumeTest, KilledAfterAnyUpdate) { expect_exact(End::kKilled, kSteps); }

TEST_P(ExactResumeTest, KilledInAnyValidation) { expect_exact(End::kKilledInValidation, kSteps / 2); }

TEST_P(ExactResumeTest, SavingAndValidatingEachStep) {
  adjust_ = [](Trainer::Options& options) {
    options.config.save_every = 1;
    options.config.validate_every = 1;
    options.config.average_last = 2;
  };
  for (const auto end : {End::kStopped, End::kValidationCutShort, End::kKilled, End::kKilledInValidation}) {
    set_up_determinism(2);
    Trace expected;
    EXPECT_EQ(run(toy(), expected), TrainingEnd::kFinished);
    for (std::int64_t step = 1; step <= kSteps; step += stride()) {
      SCOPED_TRACE(std::to_string(static_cast<int>(end)) + " at step " + std::to_string(step));
      const Toy place = toy();
      Trace trace;
      ASSERT_TRUE(run_until(end, step, place, trace));
      EXPECT_EQ(run(place, trace), TrainingEnd::kFinished);
      expect_equal(trace, expected);
    }
  }
}

TEST_P(ExactResumeTest, InBfloat16StoppedOrKilledAfterAnyUpdate) {
  if (device().is_cpu() && !has_bfloat16_products()) GTEST_SKIP() << "this processor has no products of bfloat16";
  const Trace exact = unbroken();
  adjust_ = [](Trainer::Options& options) { options.config.precision = Precision::kBfloat16; };
  EXPECT_NE(unbroken().losses, exact.losses) << "nothing was rounded";
  expect_exact(End::kStopped, 2, kSteps + 1);
  expect_exact(End::kKilled, 1, kSteps);
}

TEST_P(ExactResumeTest, StoppedAfterEveryUpdate) {
  set_up_determinism(2);
  const Trace expected = unbroken();
  const Toy place = toy();
  Trace trace;
  std::int64_t parts = 0;
  const auto interrupt = [](std::int64_t step) {
    if (step > 0) std::raise(SIGINT);
  };
  while (run(place, trace, interrupt) == TrainingEnd::kStopped) ASSERT_LE(++parts, kSteps);
  EXPECT_EQ(parts, kSteps);
  expect_equal(trace, expected);
}

INSTANTIATE_DEVICES(ExactResumeTest);

}  // namespace
}  // namespace gloss
