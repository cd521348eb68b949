#include "decoding/scorers/inference_scorer.h"

#include <algorithm>
#include <future>
#include <string>
#include <vector>

#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decoding/batched_search.h"
#include "decoding/scorers/transformer_scorer.h"
#include "tests/support/small_model.h"

namespace gloss {
namespace {

std::vector<Ids> many_sources() {
  std::vector<Ids> sources;
  for (std::int32_t b = 0; b < 40; ++b) {
    auto& ids = sources.emplace_back();
    for (std::int32_t s = 0; s < 1 + b * 7 % 11; ++s) ids.push_back(4 + (b * 5 + s * 3) % 16);
    ids.push_back(kEos);
  }
  return sources;
}

DecodingConfig search_config(std::int64_t beam_size, std::int64_t batch_size) {
  return {.beam_size = beam_size, .max_length = 14, .n_best = beam_size, .batch_size = batch_size};
}

using Found = std::vector<std::vector<Hypothesis>>;

void expect_same_bits(const Found& got, const Found& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_EQ(got[i].size(), wanted[i].size());
    for (std::size_t k = 0; k < wanted[i].size(); ++k) {
      EXPECT_EQ(got[i][k].ids, wanted[i][k].ids) << "sentence " << i << ", hypothesis " << k;
      EXPECT_EQ(got[i][k].log_probability, wanted[i][k].log_probability) << "sentence " << i << ", hypothesis " << k;
      EXPECT_EQ(got[i][k].score, wanted[i][k].score) << "sentence " << i << ", hypothesis " << k;
    }
  }
}

class InferenceScorerTest : public ::testing::Test {
 protected:
  ~InferenceScorerTest() override { at::set_num_threads(threads_); }

  const int threads_ = at::get_num_threads();
  const EncoderDecoder model_ = small_model(at::kCPU);
  const InferenceScorer scorer_{model_, small_config(), 20};
  const std::vector<Ids> sources_ = many_sources();
};

TEST_F(InferenceScorerTest, ATranslationsBitsDependNeitherOnTheBatchNorOnTheOrderNorOnThreads) {
  for (const std::int64_t beam_size : {1, 4}) {
    at::set_num_threads(1);
    const auto wanted = batched_search(scorer_, sources_, search_config(beam_size, 1));
    for (const int threads : {1, 2, 3}) {
      at::set_num_threads(threads);
      for (const std::int64_t batch_size : {1, 3, 64}) {
        SCOPED_TRACE(std::to_string(threads) + " threads, batches of " + std::to_string(batch_size));
        expect_same_bits(batched_search(scorer_, sources_, search_config(beam_size, batch_size)), wanted);
      }
      auto reversed = sources_;
      std::ranges::reverse(reversed);
      auto backwards = batched_search(scorer_, reversed, search_config(beam_size, 7));
      std::ranges::reverse(backwards);
      expect_same_bits(backwards, wanted);
    }
  }
}

TEST_F(InferenceScorerTest, WorkersThatShareItFindTheSameBits) {
  const auto config = search_config(4, 5);
  const auto wanted = batched_search(scorer_, sources_, config);
  const InferenceScorer fresh(model_, small_config(), 20);  // with no table of positions yet
  std::vector<std::future<Found>> workers;
  for (int i = 0; i < 3; ++i)
    workers.push_back(std::async(std::launch::async, [&] { return batched_search(fresh, sources_, config); }));
  for (auto& worker : workers) expect_same_bits(worker.get(), wanted);
}

TEST_F(InferenceScorerTest, FindsWhatTheTransformerScorerFinds) {
  const TransformerScorer plain(model_, 20);
  for (const std::int64_t beam_size : {1, 4}) {
    const auto got = batched_search(scorer_, sources_, search_config(beam_size, 64)),
               wanted = batched_search(plain, sources_, search_config(beam_size, 64));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_EQ(got[i].size(), wanted[i].size());
      EXPECT_EQ(got[i][0].ids, wanted[i][0].ids);
      for (std::size_t k = 0; k < wanted[i].size(); ++k) EXPECT_NEAR(got[i][k].score, wanted[i][k].score, 1e-5);
    }
  }
}

}  // namespace
}  // namespace gloss
