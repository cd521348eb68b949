#include "decoding/scorers/inference_scorer.h"

#include <future>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "decoding/scorers/transformer_scorer.h"
#include "tests/decoding/scorers/same_bits.h"
#include "tests/support/small_model.h"

namespace gloss {
namespace {

class InferenceScorerTest : public ::testing::Test {
 protected:
  const EncoderDecoder model_ = small_model(at::kCPU);
  const InferenceScorer scorer_{model_, small_config(), 20};
  const std::vector<Ids> sources_ = many_sources();
};

TEST_F(InferenceScorerTest, ATranslationsBitsDependNeitherOnTheBatchNorOnTheOrderNorOnThreads) {
  expect_bits_of_the_line_alone(scorer_, sources_);
}

TEST_F(InferenceScorerTest, WorkersThatShareItFindTheSameBits) {
  const auto config = search_config(4, 5);
  const auto wanted = collected_search(scorer_, sources_, config);
  const InferenceScorer fresh(model_, small_config(), 20);  // with no table of positions yet
  std::vector<std::future<Found>> workers;
  for (int i = 0; i < 3; ++i)
    workers.push_back(std::async(std::launch::async, [&] { return collected_search(fresh, sources_, config); }));
  for (auto& worker : workers) expect_same_bits(worker.get(), wanted);
}

TEST_F(InferenceScorerTest, FindsWhatTheTransformerScorerFinds) {
  const TransformerScorer plain(model_, 20);
  for (const std::int64_t beam_size : {1, 4}) {
    const auto got = collected_search(scorer_, sources_, search_config(beam_size, 64)),
               wanted = collected_search(plain, sources_, search_config(beam_size, 64));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_EQ(got[i].size(), wanted[i].size());
      EXPECT_EQ(got[i][0].ids, wanted[i][0].ids);
      for (std::size_t k = 0; k < wanted[i].size(); ++k) EXPECT_NEAR(got[i][k].score, wanted[i][k].score, 1e-5);
    }
  }
}

}  // namespace
}  // namespace gloss
