#include "pipeline/memory_trial.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "common/memory.h"
#include "pipeline/runtime.h"
#include "tests/pipeline/small_job.h"

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

TEST(MemoryTrialTest, WeightsGradientsAndAdamAreCountedThoseOfFrozenPartsAreNot) {
  auto config = config_of(64, 4096);
  auto needs = training_needs(config, kVocabularies);
  // The embedding, the generator's bias, three attentions, two feed-forwards, five and two norms.
  EXPECT_EQ(needs.parameters, 100 * 64 + 100 + 12 * (64 * 64 + 64) + 4 * (64 * 64 + 64) + 7 * 2 * 64);
  EXPECT_EQ(needs.weights, 4 * needs.parameters);
  EXPECT_EQ(needs.gradients + needs.optimizer, 3 * needs.weights);
  EXPECT_EQ(needs.checkpoint, 3 * needs.weights);
  EXPECT_EQ(needs.batch, 0);
  config.training.freeze = {"source_embedding"};
  needs = training_needs(config, kVocabularies);
  EXPECT_EQ(needs.trained_parameters, needs.parameters - 100 * 64);
  EXPECT_EQ(needs.gradients, 4 * needs.trained_parameters);
  EXPECT_EQ(needs.checkpoint, 4 * needs.parameters + 8 * needs.trained_parameters);
}

TEST(MemoryTrialTest, CheckpointsAreThoseThatAreKeptTheBestAndTheOneBeingWritten) {
  auto config = config_of(64, 4096);
  config.training.keep_checkpoints = 4;
  EXPECT_EQ(training_needs(config, kVocabularies).checkpoints, 6);
  config.training.average_last = 8;
  const auto needs = training_needs(config, kVocabularies);
  EXPECT_EQ(needs.checkpoints, 10);
  EXPECT_EQ(needs.disk(), needs.model_file + 10 * needs.checkpoint);
}

TEST(MemoryTrialTest, ALargerBatchTakesMore) {
  set_up_runtime(1);
  const auto memory = usable_memory();
  const auto small = try_training(config_of(128, 1024), kVocabularies, memory);
  const auto large = try_training(config_of(128, 8192), kVocabularies, memory);
  EXPECT_GT(small.batch, 1024 * 128 * 4);
  EXPECT_GT(large.batch, 4 * small.batch);
  EXPECT_LT(large.batch, 16 * small.batch);
  const auto reckoned = try_training(config_of(128, 8192), kVocabularies, 128 << 20);
  EXPECT_GT(reckoned.batch, large.batch / 2);
  EXPECT_LT(reckoned.batch, large.batch * 2);
}

TEST(MemoryTrialTest, TheVocabularyIsTheTokenizersOrTheLargestThatTheRunFileAllows) {
  testing::internal::CaptureStderr();
  SmallJob job;
  EXPECT_EQ(foreseen_vocabularies(job.config).source, 40);
  job.run();
  testing::internal::GetCapturedStderr();
  job.config.tokenizer.model_file = job / "run/tokenizer.model";
  const auto pieces = foreseen_vocabularies(job.config).target;
  EXPECT_LT(pieces, 40);
  job.config.tokenizer.model_file = "";
  job.config.training.start_from = job / "run";
  EXPECT_EQ(foreseen_vocabularies(job.config).source, pieces);
}

TEST(MemoryTrialTest, DiskIsThatOfTheFolderOrOfTheOneAboveThatIsThere) {
  const auto there = std::filesystem::temp_directory_path();
  EXPECT_GT(free_disk(there), 0);
  EXPECT_GT(free_disk(there / "not" / "there"), 0);
}

}  // namespace
}  // namespace gloss
