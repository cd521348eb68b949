#include "decoding/scorers/inference_scorer.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "decoding/scorers/transformer_scorer.h"
#include "tests/decoding/scorers/same_bits.h"
#include "tests/support/small_model.h"

namespace gloss {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

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

/// Source token s of 20 proposes two tokens; unk and eos are in every list.
Shortlist::Table some_table() {
  Shortlist::Table table{.offsets = {0}, .tokens = {}, .always = {kEos, kUnk}};
  for (Id s = 0; s < 20; ++s) {
    table.tokens.insert(table.tokens.end(), {4 + s * 3 % 16, 4 + (s * 7 + 1) % 16});
    table.offsets.push_back(static_cast<std::int32_t>(table.tokens.size()));
  }
  return table;
}

/// Every source token proposes every token.
Shortlist::Table whole_table() {
  Shortlist::Table table{.offsets = {0}, .tokens = {}, .always = {kEos}};
  for (Id s = 0; s < 20; ++s) {
    for (Id t = 19; t >= 0; --t) table.tokens.push_back(t);
    table.offsets.push_back(static_cast<std::int32_t>(table.tokens.size()));
  }
  return table;
}

/// Precisions, and networks whose generator's matrix is an embedding or one of its own.
class ShortlistScorerTest : public ::testing::TestWithParam<std::pair<WeightPrecision, TieEmbeddings>> {
 protected:
  ShortlistScorerTest() { config_.tie_embeddings = GetParam().second; }

  InferenceScorer scorer(const std::optional<Shortlist::Table>& table) const {
    LazyModel model(small_model(at::kCPU, config_));
    if (table) model.shortlist = std::make_shared<const Shortlist>(*table, Vocabularies{20, 20});
    return {model, config_, 20, GetParam().first};
  }

  ModelConfig config_ = small_config();
  const std::vector<Ids> sources_ = many_sources();
};

TEST_P(ShortlistScorerTest, ATranslationsBitsDependNeitherOnTheBatchNorOnTheOrderNorOnThreads) {
  expect_bits_of_the_line_alone(scorer(some_table()), sources_);
}

TEST_P(ShortlistScorerTest, TranslationsHaveTokensOfTheirListsOnly) {
  const Shortlist shortlist(some_table(), {20, 20});
  const auto restricted = scorer(some_table()), whole = scorer(std::nullopt);
  std::size_t unrestricted = 0;
  for (const std::int64_t beam_size : {1, 4}) {
    auto config = search_config(beam_size, 16);
    const auto outside = [&](const Found& found) {  // number of tokens that are not in the lists
      std::size_t count = 0;
      for (std::size_t i = 0; i < found.size(); ++i) {
        const auto list = shortlist.list(std::vector<std::int64_t>(sources_[i].begin(), sources_[i].end()), {});
        for (const auto& hypothesis : found[i])
          count += static_cast<std::size_t>(
              std::ranges::count_if(hypothesis.ids, [&](Id id) { return !std::ranges::binary_search(list, id); }));
      }
      return count;
    };
    const auto without = collected_search(whole, sources_, config);
    EXPECT_EQ(outside(collected_search(restricted, sources_, config)), 0U);
    unrestricted += outside(without);
    config.shortlist = false;
    expect_same_bits(collected_search(restricted, sources_, config), without);
  }
  EXPECT_GT(unrestricted, 0U);
}

TEST_P(ShortlistScorerTest, AShortlistOfAllTokensChangesNoBit) {
  const auto all = scorer(whole_table()), without = scorer(std::nullopt);
  std::vector<DecodingConfig> configs{search_config(1, 16), search_config(4, 16), search_config(4, 16)};
  configs.back().repetition_penalty = 1.3;
  configs.back().no_repeat_ngram = 2;
  configs.push_back({.n_best = 3, .sampling = {.enabled = true}});
  configs.push_back({.n_best = 3, .sampling = {.enabled = true, .top_k = 7}});
  for (auto& config : configs) {
    config.max_length = 14;
    expect_same_bits(collected_search(all, sources_, config), collected_search(without, sources_, config));
  }
}

TEST_P(ShortlistScorerTest, ForcedTokensNeedNotBeInTheList) {
  const auto restricted = scorer(some_table());
  const std::vector<Ids> sources{{4, kEos}, {5, 6, kEos}};
  const Shortlist shortlist(some_table(), {20, 20});
  Ids outside;  // of both lists
  for (Id id = kSpecialIds; id < 20; ++id)
    if (!std::ranges::binary_search(shortlist.list({{4, 5, 6, kEos}}, {}), id)) outside.push_back(id);
  ASSERT_GE(outside.size(), 3U);
  const Ids prefix{outside[0], outside[1], outside[0]};
  const std::vector<std::uint8_t> continues_word(20, 0);
  for (const std::int64_t beam_size : {1, 4}) {
    const auto found = collected_search(restricted, sources, search_config(beam_size, 2), {.prefixes = {{}, prefix}});
    EXPECT_TRUE(std::ranges::equal(std::span(found[1][0].ids).first(3), prefix));
    EXPECT_EQ(std::ranges::count(found[0][0].ids, outside[0]), 0);
    const auto with_phrase =
        collected_search(restricted, sources, search_config(beam_size, 2),
                         {.phrases = {{{.text = {}, .ids = {outside[2], outside[1]}, .ends_in_word = true}}, {}},
                          .continues_word = continues_word});
    EXPECT_NE(std::ranges::search(with_phrase[0][0].ids, Ids{outside[2], outside[1]}).begin(),
              with_phrase[0][0].ids.end());
    EXPECT_EQ(std::ranges::count(with_phrase[1][0].ids, outside[2]), 0);
    EXPECT_THAT(
        [&] {
          collected_search(restricted, sources, search_config(beam_size, 2), {.prefixes = {{}, {20}}});
        },
        ThrowsMessage<UsageError>(HasSubstr("prefix: wanted tokens below 20")));
  }
}

TEST_P(ShortlistScorerTest, EveryKindOfStepHasTheSameScores) {
  const auto restricted = scorer(some_table());
  const auto source = pad(sources_, at::kCPU);
  const std::vector<Ids> wanted(sources_.size());
  const Ids tokens(sources_.size(), kBos), next(sources_.size(), 7);
  const auto start = [&] { return restricted.start_with_shortlist(source, wanted); };
  const auto all = restricted.step(*start(), tokens, std::nullopt);
  const auto top = restricted.step_top(*start(), tokens, 20, std::nullopt);
  const auto ranked = top_tokens_of(all, 20);
  EXPECT_EQ(top.logits, ranked.logits);
  EXPECT_EQ(top.log_normalizers, ranked.log_normalizers);
  const auto forced = restricted.step_forced(*start(), tokens, next);
  EXPECT_EQ(forced.log_normalizers, top.log_normalizers);
  std::size_t excluded = 0;
  for (std::size_t row = 0; row < tokens.size(); ++row) {
    EXPECT_EQ(forced.logits[row], all.logits[static_cast<std::int64_t>(row)][7].item<double>());
    excluded += std::isinf(forced.logits[row]) ? 1 : 0;
  }
  EXPECT_GT(excluded, 0U);
  EXPECT_LT(excluded, tokens.size());
}

INSTANTIATE_TEST_SUITE_P(Precisions, ShortlistScorerTest,
                         ::testing::Values(std::pair(WeightPrecision::kFloat32, TieEmbeddings::kAll),
                                           std::pair(WeightPrecision::kInt8, TieEmbeddings::kAll),
                                           std::pair(WeightPrecision::kInt8, TieEmbeddings::kNone),
                                           std::pair(WeightPrecision::kBfloat16, TieEmbeddings::kDecoder)));

}  // namespace
}  // namespace gloss
