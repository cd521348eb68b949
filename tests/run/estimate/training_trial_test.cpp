#include "run/estimate/training_trial.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "common/log/log.h"
#include "common/system/machine.h"
#include "tensor/runtime.h"
#include "tests/run/estimate/one_layer_run.h"
#include "tests/support/sanitizers.h"
#include "tests/support/terminal.h"

namespace gloss {
namespace {

/// Lets the libraries take the memory that they take once a process.
void warm_up() {
  set_up_runtime(1);
  try_training(one_layer_run(64, 64), {kOneLayerVocabularies, {}}, usable_memory());
}

TEST(TrainingTrialTest, ALargerBatchTakesMore) {
  if (kIsSanitized) GTEST_SKIP() << "the sanitizer takes memory itself";
  warm_up();
  const auto memory = usable_memory();
  const ForeseenRun run{kOneLayerVocabularies, {}};
  const auto small = try_training(one_layer_run(128, 1024), run, memory);
  EXPECT_TRUE(small.tried);
  const auto large = try_training(one_layer_run(128, 8192), run, memory);
  EXPECT_GT(small.batches, 1024 * 128 * 4);
  EXPECT_GT(large.batches, 2 * small.batches);
  EXPECT_LT(large.batches, 16 * small.batches);
}

TEST(TrainingTrialTest, ATerminalShowsHowFarTheTrialIs) {
  const auto terminal = open_terminal();
  if (!terminal) GTEST_SKIP() << "there are no pseudo-terminals here";
  set_up_runtime(1);
  ::setenv("TERM", "xterm", 1);
  const int before = ::dup(STDERR_FILENO);
  ::dup2(terminal->inside, STDERR_FILENO);
  set_up_log({});
  const ForeseenRun run{kOneLayerVocabularies, {}};
  try_training(one_layer_run(64, 256), run, usable_memory());
  ::dup2(before, STDERR_FILENO);
  set_up_log({});
  for (const int descriptor : {before, terminal->inside}) ::close(descriptor);
  std::string shown;  // the terminal gives it in parts
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = ::read(terminal->outside, part.data(), part.size())) > 0;)
    shown.append(part.data(), static_cast<std::size_t>(got));
  ::close(terminal->outside);
  EXPECT_THAT(shown, testing::HasSubstr("measuring memory: update 1 of 3"));
  EXPECT_TRUE(shown.ends_with("\r\x1b[K")) << "the line is removed";
}

TEST(TrainingTrialTest, TheLowerBoundOfABatchIsBelowThatOfTheFewestTokens) {
  set_up_runtime(1);
  const ForeseenRun run{kOneLayerVocabularies, {}};
  const auto needs = try_training(one_layer_run(512, 256), run, usable_memory());
  EXPECT_GT(needs.min_batches, 256 * 512 * 4);
  EXPECT_LT(needs.min_batches, needs.batches);
  EXPECT_EQ(training_needs(one_layer_run(512, 4096), run).min_batches, needs.min_batches);
  EXPECT_LT(training_needs(one_layer_run(512, 64), run).min_batches, needs.min_batches);
  auto untried = training_needs(one_layer_run(512, 256), run);
  EXPECT_EQ(untried.memory(),
            untried.program + untried.weights + untried.gradients + untried.optimizer + untried.min_batches);
}

TEST(TrainingTrialTest, SamplingMakesBatchesLargerButNoSentenceLongerThanTheLimit) {
  if (kIsSanitized) GTEST_SKIP() << "the sanitizer takes memory itself";
  warm_up();
  auto config = one_layer_run(128, 8192);
  config.data.max_length = 40;
  config.decoding.max_length = 40;
  config.model.positions = Positions::kLearned;  // there are only max_positions of them
  config.model.max_positions = 41;
  const ForeseenRun run{kOneLayerVocabularies, {.training = {{.pairs = std::vector<PairLengths>(2000, {20, 20})}}}};
  const auto plain = try_training(config, run, usable_memory()).batches;
  config.data.subword_sampling = 0.5;  // three times the length, so that the limit applies
  const auto sampled = try_training(config, run, usable_memory()).batches;
  EXPECT_GT(sampled, plain + plain / 2);
}

TEST(TrainingTrialTest, WithoutEnoughMemoryTheBatchesAreALowerBound) {
  if (kIsSanitized) GTEST_SKIP() << "the sanitizer takes memory itself";
  warm_up();
  const ForeseenRun run{kOneLayerVocabularies, {}};
  const auto config = one_layer_run(512, 8192);
  const auto enough = try_training(config, run, usable_memory());
  ASSERT_TRUE(enough.tried);
  const auto memory = enough.weights + enough.gradients + enough.optimizer + enough.batches / 4;
  const auto short_of = try_training(config, run, memory);
  EXPECT_FALSE(short_of.tried);
  EXPECT_GE(short_of.memory(), short_of.program + memory);
  EXPECT_LT(short_of.batches, enough.batches);
  EXPECT_TRUE(try_training(config, run, usable_memory()).tried) << "the limit is lifted";
}

}  // namespace
}  // namespace gloss
