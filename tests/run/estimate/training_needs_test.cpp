#include "run/estimate/training_needs.h"

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
#include "tests/run/small_job.h"
#include "tests/support/sanitizers.h"
#include "tests/support/terminal.h"

namespace gloss {
namespace {

TEST(TrainingNeedsTest, WeightsGradientsAndAdamAreCountedThoseOfFrozenPartsAreNot) {
  auto config = one_layer_run(64, 4096);
  auto needs = training_needs(config, kOneLayerVocabularies);
  // The embedding, the generator's bias, three attentions, two feed-forwards, five and two norms.
  EXPECT_EQ(needs.parameters, 100 * 64 + 100 + 12 * (64 * 64 + 64) + 4 * (64 * 64 + 64) + 7 * 2 * 64);
  EXPECT_EQ(needs.weights, 4 * needs.parameters);
  EXPECT_EQ(needs.gradients + needs.optimizer, 3 * needs.weights);
  EXPECT_EQ(needs.checkpoint, 3 * needs.weights);
  EXPECT_EQ(needs.batches, 0);
  EXPECT_FALSE(needs.tried);
  config.training.freeze = {"source_embedding"};
  needs = training_needs(config, kOneLayerVocabularies);
  EXPECT_EQ(needs.trained_parameters, needs.parameters - 100 * 64);
  EXPECT_EQ(needs.gradients, 4 * needs.trained_parameters);
  EXPECT_EQ(needs.checkpoint, 4 * needs.parameters + 8 * needs.trained_parameters);
}

TEST(TrainingNeedsTest, CheckpointsAreThoseThatAreKeptTheBestAndTheOneBeingWritten) {
  auto config = one_layer_run(64, 4096);
  config.training.keep_checkpoints = 4;
  EXPECT_EQ(training_needs(config, kOneLayerVocabularies).checkpoints, 6);
  config.training.average_last = 8;
  const auto needs = training_needs(config, kOneLayerVocabularies);
  EXPECT_EQ(needs.checkpoints, 10);
  EXPECT_EQ(needs.disk(), needs.model_file + 10 * needs.checkpoint);
}

TEST(TrainingNeedsTest, PhasesFreeTheirMemory) {
  TrainingNeeds needs;
  needs.program = 1;
  needs.weights = 10;
  needs.gradients = needs.optimizer = 20;
  needs.batches = 1000;
  needs.validation = 2000;
  needs.test = 3000;
  needs.average = 2500;
  EXPECT_EQ(needs.memory(), 3051);
  needs.tokenizer = 4000;
  EXPECT_EQ(needs.memory(), 4001) << "before there are weights";
  needs.corpus_file = 7;
  needs.model_file = 10;
  EXPECT_EQ(needs.disk(), 17);
}

TEST(TrainingNeedsTest, AnAverageTakesAFileAndDoublesOfTheWeightsTheBestModelAFile) {
  auto config = one_layer_run(64, 4096);
  EXPECT_EQ(training_needs(config, kOneLayerVocabularies).average, 0);
  config.training.early_stop.patience = 3;
  auto needs = training_needs(config, kOneLayerVocabularies);
  EXPECT_EQ(needs.average, needs.checkpoint);
  config.training.average_last = 2;
  config.training.ema_decay = 0.9;
  needs = training_needs(config, kOneLayerVocabularies);
  EXPECT_EQ(needs.checkpoint, 16 * needs.parameters);
  EXPECT_EQ(needs.average, (16 + 16) * needs.parameters);
}

TEST(TrainingNeedsTest, TheVocabularyIsTheTokenizersOrTheLargestThatTheRunFileAllows) {
  testing::internal::CaptureStderr();
  SmallJob job;
  EXPECT_EQ(foresee(job.config).vocabularies.source, 40);
  job.run();
  testing::internal::GetCapturedStderr();
  job.config.tokenizer.model_file = job / "run/tokenizer.model";
  const auto pieces = foresee(job.config).vocabularies.target;
  EXPECT_LT(pieces, 40);
  EXPECT_EQ(training_needs(job.config, foresee(job.config)).tokenizer, 0);
  job.config.tokenizer.model_file = "";
  EXPECT_GT(training_needs(job.config, foresee(job.config)).tokenizer, 0);
  job.config.training.start_from = job / "run";
  EXPECT_EQ(foresee(job.config).vocabularies.source, pieces);
}

TEST(TrainingNeedsTest, EachSideHasItsVocabulary) {
  testing::internal::CaptureStderr();
  SmallJob job;
  job.use_two_tokenizers(TieEmbeddings::kNone);
  job.run();
  testing::internal::GetCapturedStderr();
  job.config.training.start_from = job / "run";
  const auto [source, target] = foresee(job.config).vocabularies;
  EXPECT_GT(source, target) << "the target has fewer letters";
}

TEST(TrainingNeedsTest, SearchesTakeMemoryByTheirRowsAndLengths) {
  auto config = one_layer_run(256, 256);
  config.decoding.max_length = 64;
  config.decoding.beam_size = 4;
  config.decoding.batch_size = 64;
  const std::vector<std::int64_t> sources(64, 40);
  const auto needs_for = [&](const std::vector<std::int64_t>& valid, const std::vector<std::int64_t>& test) {
    return training_needs(config, {kOneLayerVocabularies, {.valid = valid, .test = test}});
  };
  auto needs = needs_for(sources, sources);
  const std::int64_t cache = 2 * 64 * 64 * 256 * 4;  // keys and values of 64 rows and positions
  // On the CPU the scorer has its own copy of the weights.
  EXPECT_GT(needs.validation, needs.weights + cache);
  EXPECT_LT(needs.validation, needs.weights + 6 * cache);
  EXPECT_GT(needs.test, needs.weights + 3 * cache) << "4 * 50 positions, a quarter more than the longest source";
  EXPECT_LT(needs.test, needs.weights + 4 * 6 * cache);
  EXPECT_EQ(needs_for(std::vector<std::int64_t>(500, 40), {}).validation, needs.validation) << "a batch at a time";
  config.decoding.max_length = 512;
  needs = needs_for(sources, sources);
  EXPECT_LT(needs.test, needs.validation);
  needs = needs_for({}, {});
  EXPECT_EQ(needs.validation, 0) << "there is no text for one";
  EXPECT_EQ(needs.test, 0);
}

TEST(TrainingNeedsTest, TheTextDeterminesMemoryOfTokenizerTrainingAndCorpusFile) {
  auto config = one_layer_run(64, 4096);
  ForeseenRun run{kOneLayerVocabularies, {.training_bytes = 1000, .corpus_file = 77, .unknown = "a file is missing"}};
  const auto tokenizer = [&](TokenizerType type) {
    config.tokenizer.type = type;
    return training_needs(config, run).tokenizer;
  };
  EXPECT_GT(tokenizer(TokenizerType::kUnigram), tokenizer(TokenizerType::kBpe));
  EXPECT_GT(tokenizer(TokenizerType::kBpe), tokenizer(TokenizerType::kChar));
  const auto needs = training_needs(config, run);
  EXPECT_EQ(needs.corpus_file, 77);
  EXPECT_EQ(needs.unknown, "a file is missing");
  run.text.training_bytes = std::int64_t{1} << 40;
  EXPECT_LT(tokenizer(TokenizerType::kUnigram), std::int64_t{8} << 30) << "it reads two million lines at most";
  config.training.start_from = "a model";
  EXPECT_EQ(training_needs(config, run).tokenizer, 0);
}

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

// A suite, and so a process, of its own: what earlier trials have freed would be taken again without a limit.
TEST(TrainingTrialMemoryTest, WithoutEnoughMemoryTheBatchesAreALowerBound) {
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
