#include "decoding/batched_search.h"

#include <algorithm>
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

TEST_P(BatchedSearchTest, AConfigurationOutOfRangeIsRefusedBeforeAnySearch) {
  EXPECT_THAT([&] { search(sources_, {.beam_size = 0}); }, ThrowsMessage<UsageError>(HasSubstr("beam_size")));
  EXPECT_EQ(batches_, 0);
}

INSTANTIATE_DEVICES(BatchedSearchTest);

}  // namespace
}  // namespace gloss
