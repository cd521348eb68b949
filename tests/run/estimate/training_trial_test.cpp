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
#include "common/system/memory.h"
#include "tensor/runtime.h"
#include "tests/run/estimate/one_layer_run.h"
#include "tests/support/sanitizers.h"
#include "tests/support/terminal.h"

namespace gloss {
namespace {

TEST(TrainingTrialTest, ALargerBatchTakesMore) {
  if (kIsSanitized) GTEST_SKIP() << "the sanitizer takes memory itself";
  set_up_runtime(1);
  const auto memory = usable_memory();
  const ForeseenRun run{kOneLayerVocabularies, {}};
  const auto small = try_training(one_layer_run(128, 1024), run, memory);
  EXPECT_TRUE(small.tried);
  const auto large = try_training(one_layer_run(128, 8192), run, memory);
  EXPECT_GT(small.batches, 1024 * 128 * 4);
  EXPECT_GT(large.batches, 4 * small.batches);
  EXPECT_LT(large.batches, 16 * small.batches);
  EXPECT_EQ(large.validation, 0) << "there is no text for one";
  EXPECT_EQ(large.test, 0);
  const auto reckoned = try_training(one_layer_run(128, 8192), run, 128 << 20);
  EXPECT_GT(reckoned.batches, large.batches / 2);
  EXPECT_LT(reckoned.batches, large.batches * 2);
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
  EXPECT_THAT(shown, testing::HasSubstr("measuring memory: batches of 256 tokens, 1 of "));
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

TEST(TrainingTrialTest, SearchTakesMemoryByTheRowsAndTheTokensOfAHypothesis) {
  set_up_runtime(1);
  auto config = one_layer_run(256, 256);
  config.decoding.max_length = 64;
  config.decoding.beam_size = 4;
  ForeseenRun run{kOneLayerVocabularies,
                  {.valid = std::vector<std::int64_t>(64, 40), .test = std::vector<std::int64_t>(64, 40)}};
  const auto needs = try_training(config, run, usable_memory());
  const std::int64_t cache = 2 * 64 * 64 * 256 * 4;  // keys and values of 64 rows and positions
  EXPECT_GT(needs.validation, cache);
  EXPECT_LT(needs.validation, 6 * cache);
  EXPECT_GT(needs.test, 4 * cache);
  EXPECT_LT(needs.test, 4 * 6 * cache);
}

TEST(TrainingTrialTest, SearchUsesTheScorerOfAValidation) {
  set_up_runtime(1);
  auto config = one_layer_run(512, 256);
  config.decoding.max_length = 8;
  const ForeseenRun run{{20'000, 20'000}, {.valid = {4}}};
  const auto needs = try_training(config, run, usable_memory());
  EXPECT_GT(needs.validation, needs.weights);
}

TEST(TrainingTrialTest, SamplingMakesBatchesLargerButNoSentenceLongerThanTheLimit) {
  if (kIsSanitized) GTEST_SKIP() << "the sanitizer takes memory itself";
  set_up_runtime(1);
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

TEST(TrainingTrialTest, SearchIsTriedOnTheLongestSourcesNotMoreThanABatch) {
  set_up_runtime(1);
  auto config = one_layer_run(256, 256);
  config.decoding.max_length = 8;
  config.decoding.batch_size = 32;
  const auto validation = [&](const std::vector<std::int64_t>& sources) {
    return try_training(config, {kOneLayerVocabularies, {.valid = sources}}, usable_memory()).validation;
  };
  const auto of_longest = validation(std::vector<std::int64_t>(32, 200));
  auto mixed = std::vector<std::int64_t>(200, 2);
  mixed.insert(mixed.end(), 32, 200);
  mixed.insert(mixed.end(), 200, 2);
  const auto of_mixed = validation(mixed), of_many = validation(std::vector<std::int64_t>(320, 200));
  EXPECT_GT(of_mixed, of_longest / 2);
  EXPECT_LT(of_many, 2 * of_longest);
}

TEST(TrainingTrialTest, ATestEndsAQuarterAfterItsLongestSource) {
  set_up_runtime(1);
  auto config = one_layer_run(128, 256);
  config.decoding.max_length = 512;
  config.decoding.beam_size = 2;
  const std::vector<std::int64_t> sources(32, 8);
  const auto needs =
      try_training(config, {kOneLayerVocabularies, {.valid = sources, .test = sources}}, usable_memory());
  EXPECT_LT(needs.test, needs.validation);
}

}  // namespace
}  // namespace gloss
