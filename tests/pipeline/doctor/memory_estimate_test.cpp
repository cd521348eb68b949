#include "pipeline/doctor/memory_estimate.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "common/log/log.h"
#include "common/system/memory.h"
#include "pipeline/runtime.h"
#include "tests/pipeline/small_job.h"
#include "tests/support/sanitizers.h"
#include "tests/support/terminal.h"

namespace gloss {
namespace {

constexpr Vocabularies kVocabularies{100, 100};

RunConfig config_of(std::int64_t d_model, std::int64_t batch_tokens) {
  RunConfig config;
  config.model.encoder_layers = config.model.decoder_layers = 1;
  config.model.d_model = config.model.d_ff = d_model;
  config.data.batch_tokens = batch_tokens;
  return config;
}

TEST(MemoryEstimateTest, WeightsGradientsAndAdamAreCountedThoseOfFrozenPartsAreNot) {
  auto config = config_of(64, 4096);
  auto needs = training_needs(config, kVocabularies);
  // The embedding, the generator's bias, three attentions, two feed-forwards, five and two norms.
  EXPECT_EQ(needs.parameters, 100 * 64 + 100 + 12 * (64 * 64 + 64) + 4 * (64 * 64 + 64) + 7 * 2 * 64);
  EXPECT_EQ(needs.weights, 4 * needs.parameters);
  EXPECT_EQ(needs.gradients + needs.optimizer, 3 * needs.weights);
  EXPECT_EQ(needs.checkpoint, 3 * needs.weights);
  EXPECT_EQ(needs.batches, 0);
  EXPECT_FALSE(needs.tried);
  config.training.freeze = {"source_embedding"};
  needs = training_needs(config, kVocabularies);
  EXPECT_EQ(needs.trained_parameters, needs.parameters - 100 * 64);
  EXPECT_EQ(needs.gradients, 4 * needs.trained_parameters);
  EXPECT_EQ(needs.checkpoint, 4 * needs.parameters + 8 * needs.trained_parameters);
}

TEST(MemoryEstimateTest, CheckpointsAreThoseThatAreKeptTheBestAndTheOneBeingWritten) {
  auto config = config_of(64, 4096);
  config.training.keep_checkpoints = 4;
  EXPECT_EQ(training_needs(config, kVocabularies).checkpoints, 6);
  config.training.average_last = 8;
  const auto needs = training_needs(config, kVocabularies);
  EXPECT_EQ(needs.checkpoints, 10);
  EXPECT_EQ(needs.disk(), needs.model_file + 10 * needs.checkpoint);
}

TEST(MemoryEstimateTest, PhasesFreeTheirMemory) {
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

TEST(MemoryEstimateTest, AnAverageTakesAFileAndDoublesOfTheWeightsTheBestModelAFile) {
  auto config = config_of(64, 4096);
  EXPECT_EQ(training_needs(config, kVocabularies).average, 0);
  config.training.early_stop.patience = 3;
  auto needs = training_needs(config, kVocabularies);
  EXPECT_EQ(needs.average, needs.checkpoint);
  config.training.average_last = 2;
  config.training.ema_decay = 0.9;
  needs = training_needs(config, kVocabularies);
  EXPECT_EQ(needs.checkpoint, 16 * needs.parameters);
  EXPECT_EQ(needs.average, (16 + 16) * needs.parameters);
}

TEST(MemoryEstimateTest, ALargerBatchTakesMore) {
  if (kIsSanitized) GTEST_SKIP() << "the sanitizer takes memory itself";
  set_up_runtime(1);
  const auto memory = usable_memory();
  const ForeseenRun run{kVocabularies, {}};
  const auto small = try_training(config_of(128, 1024), run, memory);
  EXPECT_TRUE(small.tried);
  const auto large = try_training(config_of(128, 8192), run, memory);
  EXPECT_GT(small.batches, 1024 * 128 * 4);
  EXPECT_GT(large.batches, 4 * small.batches);
  EXPECT_LT(large.batches, 16 * small.batches);
  EXPECT_EQ(large.validation, 0) << "there is no text for one";
  EXPECT_EQ(large.test, 0);
  const auto reckoned = try_training(config_of(128, 8192), run, 128 << 20);
  EXPECT_GT(reckoned.batches, large.batches / 2);
  EXPECT_LT(reckoned.batches, large.batches * 2);
}

TEST(MemoryEstimateTest, ATerminalShowsHowFarTheTrialIs) {
  const auto terminal = open_terminal();
  if (!terminal) GTEST_SKIP() << "there are no pseudo-terminals here";
  set_up_runtime(1);
  ::setenv("TERM", "xterm", 1);
  const int before = ::dup(STDERR_FILENO);
  ::dup2(terminal->inside, STDERR_FILENO);
  set_up_log({});
  const ForeseenRun run{kVocabularies, {}};
  try_training(config_of(64, 256), run, usable_memory());
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

TEST(MemoryEstimateTest, TheLowerBoundOfABatchIsBelowThatOfTheFewestTokens) {
  set_up_runtime(1);
  const ForeseenRun run{kVocabularies, {}};
  const auto needs = try_training(config_of(512, 256), run, usable_memory());
  EXPECT_GT(needs.min_batches, 256 * 512 * 4);
  EXPECT_LT(needs.min_batches, needs.batches);
  EXPECT_EQ(training_needs(config_of(512, 4096), run).min_batches, needs.min_batches);
  EXPECT_LT(training_needs(config_of(512, 64), run).min_batches, needs.min_batches);
  auto untried = training_needs(config_of(512, 256), run);
  EXPECT_EQ(untried.memory(),
            untried.program + untried.weights + untried.gradients + untried.optimizer + untried.min_batches);
}

TEST(MemoryEstimateTest, SearchTakesMemoryByTheRowsAndTheTokensOfAHypothesis) {
  set_up_runtime(1);
  auto config = config_of(256, 256);
  config.decoding.max_length = 64;
  config.decoding.beam_size = 4;
  ForeseenRun run{kVocabularies,
                  {.valid = std::vector<std::int64_t>(64, 40), .test = std::vector<std::int64_t>(64, 40)}};
  const auto needs = try_training(config, run, usable_memory());
  const std::int64_t cache = 2 * 64 * 64 * 256 * 4;  // keys and values of 64 rows and positions
  EXPECT_GT(needs.validation, cache);
  EXPECT_LT(needs.validation, 6 * cache);
  EXPECT_GT(needs.test, 4 * cache);
  EXPECT_LT(needs.test, 4 * 6 * cache);
}

// On the CPU a validation searches with an InferenceScorer, which has its own copy of the weights.
TEST(MemoryEstimateTest, SearchUsesTheScorerOfAValidation) {
  set_up_runtime(1);
  auto config = config_of(512, 256);
  config.decoding.max_length = 8;
  const ForeseenRun run{{20'000, 20'000}, {.valid = {4}}};
  const auto needs = try_training(config, run, usable_memory());
  EXPECT_GT(needs.validation, needs.weights);
}

TEST(MemoryEstimateTest, TheVocabularyIsTheTokenizersOrTheLargestThatTheRunFileAllows) {
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

TEST(MemoryEstimateTest, EachSideHasItsVocabulary) {
  testing::internal::CaptureStderr();
  SmallJob job;
  job.use_two_tokenizers(TieEmbeddings::kNone);
  job.run();
  testing::internal::GetCapturedStderr();
  job.config.training.start_from = job / "run";
  const auto [source, target] = foresee(job.config).vocabularies;
  EXPECT_GT(source, target) << "the target has fewer letters";
}

TEST(MemoryEstimateTest, TheTextDeterminesMemoryOfTokenizerTrainingAndCorpusFile) {
  auto config = config_of(64, 4096);
  ForeseenRun run{kVocabularies, {.training_bytes = 1000, .corpus_file = 77, .unknown = "a file is missing"}};
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

TEST(MemoryEstimateTest, SamplingMakesBatchesLargerButNoSentenceLongerThanTheLimit) {
  if (kIsSanitized) GTEST_SKIP() << "the sanitizer takes memory itself";
  set_up_runtime(1);
  auto config = config_of(128, 8192);
  config.data.max_length = 40;
  config.decoding.max_length = 40;
  config.model.positions = Positions::kLearned;  // there are only max_positions of them
  config.model.max_positions = 41;
  const ForeseenRun run{kVocabularies, {.training = {{.pairs = std::vector<PairLengths>(2000, {20, 20})}}}};
  const auto plain = try_training(config, run, usable_memory()).batches;
  config.data.subword_sampling = 0.5;  // three times the length, so that the limit applies
  const auto sampled = try_training(config, run, usable_memory()).batches;
  EXPECT_GT(sampled, plain + plain / 2);
}

TEST(MemoryEstimateTest, SearchIsTriedOnTheLongestSourcesNotMoreThanABatch) {
  set_up_runtime(1);
  auto config = config_of(256, 256);
  config.decoding.max_length = 8;
  config.decoding.batch_size = 32;
  const auto validation = [&](const std::vector<std::int64_t>& sources) {
    return try_training(config, {kVocabularies, {.valid = sources}}, usable_memory()).validation;
  };
  const auto of_longest = validation(std::vector<std::int64_t>(32, 200));
  auto mixed = std::vector<std::int64_t>(200, 2);
  mixed.insert(mixed.end(), 32, 200);
  mixed.insert(mixed.end(), 200, 2);
  const auto of_mixed = validation(mixed), of_many = validation(std::vector<std::int64_t>(320, 200));
  EXPECT_GT(of_mixed, of_longest / 2);
  EXPECT_LT(of_many, 2 * of_longest);
}

TEST(MemoryEstimateTest, ATestEndsAQuarterAfterItsLongestSource) {
  set_up_runtime(1);
  auto config = config_of(128, 256);
  config.decoding.max_length = 512;
  config.decoding.beam_size = 2;
  const std::vector<std::int64_t> sources(32, 8);
  const auto needs = try_training(config, {kVocabularies, {.valid = sources, .test = sources}}, usable_memory());
  EXPECT_LT(needs.test, needs.validation);
}

TEST(MemoryEstimateTest, DiskIsThatOfTheFolderOrOfItsNearestExistingParent) {
  const auto there = std::filesystem::temp_directory_path();
  EXPECT_GT(free_disk(there), 0);
  EXPECT_GT(free_disk(there / "not" / "there"), 0);
}

}  // namespace
}  // namespace gloss
