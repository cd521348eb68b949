#include "decoding/scorers/plain_scorer.h"

#include <future>
#include <vector>

#include <ATen/ops/full.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "decoding/scorers/inference_scorer.h"
#include "tensor/thread_count.h"
#include "tests/decoding/scorers/same_bits.h"
#include "tests/support/recorded_operations.h"
#include "tests/support/small_model.h"

namespace gloss {
namespace {

/// Wide enough that LibTorch would share its products between threads, and round sums by the number of rows.
ModelConfig wide_config() {
  auto config = small_config();
  config.d_model = 128;
  config.d_ff = 512;
  return config;
}

class PlainScorerTest : public ::testing::Test {
 protected:
  const EncoderDecoder model_ = small_model(at::kCPU);
  const PlainScorer scorer_{model_, 20};
  const std::vector<Ids> sources_ = many_sources();
};

TEST_F(PlainScorerTest, ATranslationsBitsDependNeitherOnTheBatchNorOnTheOrderNorOnThreads) {
  expect_bits_of_the_line_alone(scorer_, sources_);
  expect_bits_of_the_line_alone(PlainScorer(small_model(at::kCPU, wide_config()), 20), sources_);
}

// At sizes at which MKL rounds a product by the number of threads that it may use.
TEST_F(PlainScorerTest, LongSentencesOfWideModelsHaveTheBitsOfOneThread) {
  auto config = small_config();
  config.d_model = 512;
  config.d_ff = 1024;
  config.max_positions = 64;
  const PlainScorer scorer(small_model(at::kCPU, config), 20);
  Ids source;
  for (Id i = 0; i < 39; ++i) source.push_back(4 + i % 16);
  source.push_back(kEos);
  const std::vector<Ids> sources(3, source);
  const auto found = [&](int threads, std::int64_t batch_size) {
    const ThreadCount count(threads);
    return collected_search(scorer, sources, search_config(2, batch_size));
  };
  const auto wanted = found(1, 1);
  expect_same_bits(found(4, 1), wanted);
  expect_same_bits(found(4, 64), wanted);
}

TEST_F(PlainScorerTest, WorkersThatShareItFindTheSameBits) {
  const auto config = search_config(4, 5);
  const auto wanted = collected_search(scorer_, sources_, config);
  const PlainScorer fresh(model_, 20);  // with no table of positions yet
  std::vector<std::future<Found>> workers;
  for (int i = 0; i < 3; ++i)
    workers.push_back(std::async(std::launch::async, [&] { return collected_search(fresh, sources_, config); }));
  for (auto& worker : workers) expect_same_bits(worker.get(), wanted);
}

TEST_F(PlainScorerTest, FindsWhatTheInferenceScorerFinds) {
  const InferenceScorer fast(model_, small_config(), 20);
  for (const std::int64_t beam_size : {1, 4}) {
    const auto got = collected_search(scorer_, sources_, search_config(beam_size, 64)),
               wanted = collected_search(fast, sources_, search_config(beam_size, 64));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_EQ(got[i].size(), wanted[i].size());
      EXPECT_EQ(got[i][0].ids, wanted[i][0].ids);
      for (std::size_t k = 0; k < wanted[i].size(); ++k) EXPECT_NEAR(got[i][k].score, wanted[i][k].score, 1e-5);
    }
  }
}

TEST_F(PlainScorerTest, RunsPlainPasses) {
  const ThreadCount one(1);  // operations are recorded on this thread
  const RecordedOperations operations;
  const auto state = scorer_.start(pad(small_sources(), at::kCPU));
  scorer_.step(*state, Ids(3, kBos), std::nullopt);
  EXPECT_TRUE(operations.has("aten::softmax"));
  EXPECT_FALSE(operations.has("aten::scaled_dot_product_attention"));
  EXPECT_FALSE(operations.has("aten::layer_norm"));
}

TEST_F(PlainScorerTest, ANetworkWithoutCrossAttentionHasNoneToReturn) {
  auto config = small_config();
  config.architecture = Architecture::kRecurrent;
  config.recurrent_attention = RecurrentAttention::kNone;
  config.heads = 1;
  const PlainScorer scorer(small_model(at::kCPU, config), 20);
  const auto state = scorer.start(pad(small_sources(), at::kCPU));
  const auto step = scorer.step(*state, Ids(3, kBos), AttentionSite{});
  EXPECT_FALSE(step.attention.defined());
  EXPECT_EQ(step.logits.size(0), 3);
  auto covered = search_config(2, 64);
  covered.coverage_penalty = 0.5;
  EXPECT_THROW(collected_search(scorer, sources_, covered), UsageError);
}

TEST_F(PlainScorerTest, ASentenceIsSelectedOnce) {
  const auto state = scorer_.start(pad(small_sources(), at::kCPU));
  EXPECT_THROW(scorer_.select(*state, {1, 1}, {0, 0}), ShapeError);
}

}  // namespace
}  // namespace gloss
