#include "decoding/batched_search.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/decoding/collected_search.h"
#include "tests/decoding/fake_scorer.h"
#include "tests/support/device_test.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing::ThrowsMessage;

constexpr std::int64_t kVocabulary = 30;

/// A rule that copies the source; another word has a little probability.
std::vector<float> copy_source(const Ids& source, const Ids& generated) {
  return log_of({{source.at(std::min(generated.size(), source.size() - 1)), 0.9}, {29, 0.1}}, kVocabulary);
}

class BatchedSearchTest : public DeviceTest {
 protected:
  std::vector<std::vector<Hypothesis>> search(const std::vector<Ids>& sources, const DecodingConfig& config) {
    return collected_search(scorer_, sources, config, {}, {.before_batch = [this](std::int64_t) { ++batches_; }});
  }

  const FakeScorer scorer_{copy_source, kVocabulary, device()};
  const std::vector<Ids> sources_ = {{4, kEos}, {5, 6, 7, kEos}, {}, {8, 9, kEos}, {10, 11, 12, 13, kEos}};
  int batches_ = 0;
};

TEST_P(BatchedSearchTest, ResultsStandInTheOrderOfTheSources) {
  for (const std::int64_t beam_size : {1, 2}) {
    for (const std::int64_t batch_size : {1, 2, 64}) {
      const auto found = search(sources_, {.beam_size = beam_size, .batch_size = batch_size});
      ASSERT_THAT(found, SizeIs(5));
      for (const std::size_t i : {0, 1, 3, 4}) {
        ASSERT_THAT(found[i], SizeIs(1));
        EXPECT_EQ(found[i][0].ids, Ids(sources_[i].begin(), sources_[i].end() - 1));
      }
      EXPECT_THAT(found[2], IsEmpty());
    }
  }
}

TEST_P(BatchedSearchTest, TheLongestStandTogetherAndEmptyRowsInNoBatch) {
  search(sources_, {.beam_size = 1, .batch_size = 2});
  EXPECT_EQ(batches_, 2);
  // Five steps of the longest, of which its neighbor needs four; then three and two.
  EXPECT_THAT(scorer_.steps(), ElementsAre(Pair(2, 1), Pair(2, 1), Pair(2, 1), Pair(2, 1), Pair(1, 1), Pair(2, 1),
                                           Pair(2, 1), Pair(1, 1)));
}

TEST_P(BatchedSearchTest, ABeamHasTheConfiguredWidthAndNumberOfResults) {
  const auto found = search({{4, kEos}}, {.beam_size = 2, .n_best = 2});
  ASSERT_THAT(found[0], SizeIs(2));
  EXPECT_EQ(found[0][0].ids, Ids{4});
  EXPECT_GT(found[0][0].score, found[0][1].score);
}

TEST_P(BatchedSearchTest, NothingToSearchIsNoBatch) {
  EXPECT_THAT(search({}, {}), IsEmpty());
  EXPECT_THAT(search({{}, {}}, {}), ElementsAre(IsEmpty(), IsEmpty()));
  EXPECT_EQ(batches_, 0);
  EXPECT_THAT(scorer_.steps(), IsEmpty());
}

TEST_P(BatchedSearchTest, MayBeCanceledBeforeABatch) {
  int begun = 0;
  const auto give_up = [&](std::int64_t) {
    if (++begun == 2) throw std::runtime_error("enough");
  };
  EXPECT_THROW(batched_search(scorer_, sources_, {.beam_size = 1, .batch_size = 1}, {}, {.before_batch = give_up}),
               std::runtime_error);
  EXPECT_THAT(scorer_.steps(), SizeIs(5));  // those of the longest
}

TEST_P(BatchedSearchTest, InputsOfAnotherNumberOfSentencesAreRefused) {
  EXPECT_THAT([&] { batched_search(scorer_, sources_, {}, {.prefixes = {{}}}); },
              ThrowsMessage<UsageError>(HasSubstr("prefixes: wanted one for each of")));
  EXPECT_THAT([&] { batched_search(scorer_, sources_, {}, {.input_indices = {1}}); },
              ThrowsMessage<UsageError>(HasSubstr("input_indices: wanted one for each of")));
}

TEST_P(BatchedSearchTest, WorkersFindTheSameAndHooksAreCalledOnceForEachSentence) {
  const FakeScorer scorer(random_rule(kVocabulary), kVocabulary, device());
  std::vector<Ids> sources;
  for (Id i = 0; i < 50; ++i)
    sources.push_back(i % 7 == 0 ? Ids{} : Ids(static_cast<std::size_t>(i % 5 + 1), i % 20 + 4));
  for (const DecodingConfig& config :
       {DecodingConfig{.beam_size = 1, .max_length = 12, .batch_size = 3},
        DecodingConfig{.beam_size = 3, .max_length = 12, .n_best = 2, .batch_size = 4}}) {
    const auto wanted = collected_search(scorer, sources, config);
    for (const std::int64_t workers : {2, 5}) {
      std::map<std::int64_t, int> found_of;
      const SearchHooks hooks{.on_found = [&](std::int64_t sentence, const auto&) { ++found_of[sentence]; }};
      const auto found = collected_search(scorer, sources, config, {}, hooks, workers);
      ASSERT_EQ(found.size(), wanted.size());
      for (std::size_t i = 0; i < sources.size(); ++i) {
        EXPECT_EQ(ids_of(found[i]), ids_of(wanted[i])) << i;
        ASSERT_EQ(found_of[static_cast<std::int64_t>(i)], sources[i].empty() ? 0 : 1) << i;
        for (std::size_t k = 0; k < wanted[i].size(); ++k) EXPECT_EQ(found[i][k].score, wanted[i][k].score);
      }
    }
  }
}

TEST_P(BatchedSearchTest, EachWorkerHasABatchIfThereAreEnoughSentences) {
  const auto batches_of = [&](std::size_t sentences, std::int64_t workers) {
    int batches = 0;
    std::int64_t begun = 0;
    batched_search(scorer_, std::vector<Ids>(sentences, Ids{4, kEos}), {.beam_size = 1, .batch_size = 64}, {},
                   {.before_batch =
                        [&](std::int64_t in_batch) {
                          ++batches;
                          begun += in_batch;
                        }},
                   workers);
    EXPECT_EQ(begun, static_cast<std::int64_t>(sentences));
    return batches;
  };
  EXPECT_EQ(batches_of(40, 1), 1);
  EXPECT_EQ(batches_of(40, 2), device().is_cpu() ? 2 : 1);
  EXPECT_EQ(batches_of(14, 2), 1) << "few sentences are computed by all threads together";
  EXPECT_EQ(batches_of(129, 2), 3) << "a batch does not exceed its size";
}

TEST_P(BatchedSearchTest, AnExceptionOfAHookEndsAllBatches) {
  const std::vector<Ids> sources(40, Ids{4, 5, 6, 7, 8, 9, 10, 11, kEos});
  int steps = 0;
  const auto give_up = [&] {
    if (++steps == 5) throw std::runtime_error("enough");
  };
  for (const std::int64_t workers : {1, 4}) {
    steps = 0;
    EXPECT_THAT(
        [&] {
          batched_search(scorer_, sources, {.beam_size = 1, .batch_size = 2}, {}, {.before_step = give_up}, workers);
        },
        ThrowsMessage<std::runtime_error>("enough"));
    EXPECT_EQ(steps, 5) << "a hook was called after the exception";
  }
}

TEST_P(BatchedSearchTest, AConfigurationOutOfRangeIsRefusedBeforeAnySearch) {
  EXPECT_THAT([&] { search(sources_, {.beam_size = 0}); }, ThrowsMessage<UsageError>(HasSubstr("beam_size")));
  EXPECT_EQ(batches_, 0);
}

INSTANTIATE_DEVICES(BatchedSearchTest);

}  // namespace
}  // namespace gloss
