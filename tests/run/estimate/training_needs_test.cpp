#include "run/estimate/training_needs.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/run/estimate/one_layer_run.h"
#include "tests/run/small_job.h"

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

}  // namespace
}  // namespace gloss
