#include "model/decoder_cache.h"

#include <vector>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/device_test.h"
#include "tests/support/recorded_operations.h"
#include "tests/support/small_model.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

// A search done by hand: the rows of a cache beside the ids that each has said.
class DecoderCacheTest : public DeviceTest {
 protected:
  DecoderCacheTest()
      : source_(pad(small_sources(), device())),
        memory_(model_->encode(source_, Pass{})),
        mask_(Mask::padding(source_.lengths)),
        cache_(model_->start(memory_, mask_, Pass{})),
        said_(3),
        sentence_{0, 1, 2} {}

  // Says one more token in every row; its output equals that of the whole row at once.
  void step_and_compare() {
    std::vector<std::int64_t> tokens;
    for (auto& row : said_) {
      row.push_back(static_cast<std::int32_t>(4 + (5 * row.size() + 3 * tokens.size()) % 16));
      tokens.push_back(row.back());
    }
    const auto batch = at::tensor(tokens, at::kLong).view({cache_.sentences, cache_.rows}).to(device());
    const auto output = model_->step(batch, cache_, Pass{});
    const auto index = at::tensor(sentence_, at::kLong);
    const auto whole = model_->decode(pad(said_, device()), memory_.index_select(0, index.to(device())),
                                      mask_.select(sentence_), Pass{});
    ASSERT_THAT(output, AllClose(whole.select(1, -1), 2e-5));
  }

  void select(const std::vector<std::int64_t>& sentences, const std::vector<std::int64_t>& parents) {
    const auto before = said_;
    const auto K = static_cast<std::size_t>(cache_.rows), wanted = parents.size() / sentences.size();
    std::vector<std::int64_t> names;
    said_.clear();
    for (std::size_t i = 0; i < parents.size(); ++i) {
      const auto row = static_cast<std::size_t>(sentences[i / wanted]) * K + static_cast<std::size_t>(parents[i]);
      said_.push_back(before[row]);
      names.push_back(sentence_[row]);
    }
    sentence_ = names;
    cache_.select(sentences, parents);
  }

  const at::NoGradGuard no_grad_;
  EncoderDecoder model_ = small_model(device());
  const PaddedIds source_;
  const at::Tensor memory_;
  const Mask mask_;
  DecoderCache cache_;
  Rows said_;
  std::vector<std::int64_t> sentence_;  // of each row
};

TEST_P(DecoderCacheTest, WidensReordersAndDropsAsASearchDoes) {
  step_and_compare();
  select({0, 1, 2}, {0, 0, 0, 0, 0, 0});  // one row to two
  EXPECT_EQ(cache_.rows, 2);
  step_and_compare();
  step_and_compare();
  select({0, 1, 2}, {1, 0, 1, 1, 0, 1});
  step_and_compare();
  select({2, 0}, {1, 0, 0, 0});  // the second is done, the others change places
  EXPECT_EQ(cache_.sentences, 2);
  step_and_compare();
  select({1}, {1, 0, 1});  // to three rows of one
  step_and_compare();
  select({0}, {2});
  step_and_compare();
}

TEST_P(DecoderCacheTest, GrowsAsLongAsItIsAsked) {
  select({0, 1, 2}, {0, 0, 0, 0, 0, 0});
  for (int t = 0; t < 40; ++t) {
    step_and_compare();
    if (t == 16 || t == 33) select({0, 1, 2}, {1, 0, 0, 1, 1, 0});
  }
}

TEST_P(DecoderCacheTest, CrossAttentionIsHeldOnceASentenceAndNeverComputedAgain) {
  select({0, 1, 2}, {0, 0, 0, 0, 0, 0});
  const auto before = cache_.layers[0].cross_key;
  EXPECT_EQ(before.size(0), 3);
  step_and_compare();
  select({0, 1, 2}, {1, 1, 0, 0, 1, 1});
  EXPECT_TRUE(cache_.layers[0].cross_key.is_same(before));
}

TEST_P(DecoderCacheTest, SelectingAllAsTheyStandRunsNothing) {
  step_and_compare();
  select({0, 1, 2}, {0, 0, 0, 0, 0, 0});
  step_and_compare();
  const RecordedOperations operations;
  cache_.select({0, 1, 2}, {0, 1, 0, 1, 0, 1});
  EXPECT_FALSE(operations.has_prefix("aten::"));
}

TEST_P(DecoderCacheTest, MayBecomeEmpty) {
  step_and_compare();
  cache_.select({}, {});
  EXPECT_EQ(cache_.sentences, 0);
}

TEST_P(DecoderCacheTest, RejectsRowsAndSentencesThatAreNotThere) {
  EXPECT_THROW(cache_.select({3}, {0}), ShapeError);
  EXPECT_THROW(cache_.select({0}, {1}), ShapeError);
  EXPECT_THROW(cache_.select({0}, {-1}), ShapeError);
  EXPECT_THROW(cache_.select({0, 1}, {0, 0, 0}), ShapeError);
  EXPECT_THROW(cache_.select({0}, {}), ShapeError);
}

INSTANTIATE_DEVICES(DecoderCacheTest);

}  // namespace
}  // namespace gloss
