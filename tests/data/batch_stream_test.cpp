#include "data/batch_stream.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/data/letter_tokenizer.h"
#include "tokenizer/sentencepiece_tokenizer.h"
#include "tokenizer/train_tokenizer.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::int64_t kPairs = 600, kBudget = 256;

// Returns lines with lengths like those of captions: log-normal, some 14 words, targets near their sources. The first
// letters number the pair.
ParallelCorpus make_corpus(std::int64_t pairs = kPairs) {
  const RandomStream random(1, "lengths");
  std::string source, target;
  for (std::int64_t i = 0; i < pairs; ++i) {
    const auto element = static_cast<std::uint64_t>(i);
    const auto length = std::exp(std::log(14.0) + 0.35 * random.normal(2 * element));
    const auto other = length * (1 + 0.15 * random.normal(2 * element + 1));
    auto number = std::to_string(i);
    std::ranges::transform(number, number.begin(), [](char digit) { return static_cast<char>(digit + 'A' - '0'); });
    source += number + std::string(static_cast<std::size_t>(std::max(1.0, length)), 'x') + "\n";
    target += number + std::string(static_cast<std::size_t>(std::max(1.0, other)), 'y') + "\n";
  }
  const CorpusFiles files(source, target);
  const LetterTokenizer letters;
  return ParallelCorpus::read(files.source(), files.target(), letters, letters, {});
}

std::int64_t longest(const std::vector<Ids>& sentences) {
  std::size_t length = 0;
  for (const auto& ids : sentences) length = std::max(length, ids.size());
  return static_cast<std::int64_t>(length);
}

std::int64_t cost(const Batch& batch) {
  return std::max(longest(batch.source), longest(batch.target)) * std::ssize(batch.source);
}

std::vector<Batch> take_epoch(BatchStream& stream) {
  std::vector<Batch> batches{stream.next()};
  while (stream.position().batch < stream.batches_in_epoch()) batches.push_back(stream.next());
  return batches;
}

std::vector<std::vector<Ids>> sources(const std::vector<Batch>& batches) {
  std::vector<std::vector<Ids>> result;
  for (const auto& batch : batches) result.push_back(batch.source);
  return result;
}

class BatchStreamTest : public testing::Test {
 protected:
  BatchStream stream(std::uint64_t seed = 1, std::int64_t budget = kBudget) const {
    return {corpus_, budget, RandomStream(seed, "run")};
  }

  const ParallelCorpus corpus_ = make_corpus();
};

TEST_F(BatchStreamTest, BatchesKeepTheBudget) {
  auto batches = stream();
  const auto epoch = take_epoch(batches);
  EXPECT_GT(epoch.size(), 1u);
  for (const auto& batch : epoch) {
    EXPECT_LE(cost(batch), kBudget);
    EXPECT_EQ(batch.source.size(), batch.target.size());
  }
}

TEST_F(BatchStreamTest, DrawingAheadChangesNothing) {
  const auto corpus = make_corpus(60);
  BatchStream plain(corpus, kBudget, RandomStream(1, "run")), ahead(corpus, kBudget, RandomStream(1, "run"));
  for (int i = 0; i < 3 * plain.batches_in_epoch(); ++i) {
    const auto expected = plain.next(), got = ahead.next();
    EXPECT_EQ(got.source, expected.source);
    EXPECT_EQ(got.target, expected.target);
    ahead.draw_ahead(i % 4);
    EXPECT_EQ(ahead.position(), plain.position());
  }
  const EpochPosition second{0, 1};
  plain.seek(second);
  ahead.draw_ahead(2);
  ahead.seek(second);
  EXPECT_EQ(ahead.next().source, plain.next().source);
}

TEST_F(BatchStreamTest, PairOverTheBudgetIsABatchAlone) {
  auto batches = stream(1, 1);
  const auto epoch = take_epoch(batches);
  EXPECT_EQ(std::ssize(epoch), kPairs);
  for (const auto& batch : epoch) EXPECT_EQ(batch.source.size(), 1u);
  EXPECT_EQ(batches.batches_in_epoch(), kPairs);
}

TEST_F(BatchStreamTest, EveryPairComesOnceAnEpoch) {
  std::map<Ids, Ids> wanted;
  for (std::int64_t i = 0; i < corpus_.size(); ++i) {
    const auto source = corpus_.source(i), target = corpus_.target(i);
    wanted[{source.begin(), source.end()}] = {target.begin(), target.end()};
  }
  auto batches = stream();
  for (int epoch = 0; epoch < 3; ++epoch) {
    std::map<Ids, Ids> got;
    std::size_t count = 0;
    for (const auto& batch : take_epoch(batches))
      for (std::size_t i = 0; i < batch.source.size(); ++i, ++count) got[batch.source[i]] = batch.target[i];
    EXPECT_EQ(got, wanted);
    EXPECT_EQ(count, wanted.size());
  }
}

TEST_F(BatchStreamTest, OrderIsAFunctionOfSeedAndEpoch) {
  auto one = stream(), two = stream(), jumped = stream(), other = stream(2);
  const auto first = sources(take_epoch(one)), second = sources(take_epoch(one));
  EXPECT_EQ(sources(take_epoch(two)), first);
  jumped.seek({1, 0});
  EXPECT_EQ(sources(take_epoch(jumped)), second);
  jumped.seek({0, 0});
  EXPECT_EQ(sources(take_epoch(jumped)), first);
  EXPECT_NE(second, first);
  EXPECT_NE(sources(take_epoch(other)), first);
}

TEST_F(BatchStreamTest, EpochsShuffleSentencesAgain) {
  auto batches = stream();
  const auto together = [](const std::vector<Batch>& epoch) {
    std::set<std::set<Ids>> result;
    for (const auto& batch : epoch) result.emplace(batch.source.begin(), batch.source.end());
    return result;
  };
  const auto first = together(take_epoch(batches)), second = together(take_epoch(batches));
  const auto same = std::ranges::count_if(second, [&](const auto& batch) { return first.contains(batch); });
  EXPECT_LT(same * 2, std::ssize(first));
}

TEST_F(BatchStreamTest, BatchesDoNotComeInOrderOfLength) {
  auto batches = stream();
  std::vector<std::int64_t> lengths;
  for (const auto& batch : take_epoch(batches)) lengths.push_back(longest(batch.source));
  int falls = 0;
  for (std::size_t i = 1; i < lengths.size(); ++i) falls += lengths[i] < lengths[i - 1];
  EXPECT_GT(falls * 4, std::ssize(lengths));
}

TEST_F(BatchStreamTest, PositionCountsTheBatchesTaken) {
  auto batches = stream();
  EXPECT_EQ(batches.position(), (EpochPosition{0, 0}));
  const auto count = batches.batches_in_epoch();
  for (std::int64_t i = 1; i <= count; ++i) {
    batches.next();
    EXPECT_EQ(batches.position(), (EpochPosition{0, i}));
  }
  batches.next();
  EXPECT_EQ(batches.position(), (EpochPosition{1, 1}));
}

TEST_F(BatchStreamTest, SeekContinuesFromEveryPositionOfTwoEpochs) {
  auto unbroken = stream();
  std::vector<EpochPosition> places{unbroken.position()};
  std::vector<std::vector<Ids>> batches;
  while (unbroken.position().epoch < 2) {
    batches.push_back(unbroken.next().source);
    places.push_back(unbroken.position());
  }
  auto wanderer = stream();
  for (std::size_t i = 0; i + 1 < places.size(); ++i) {
    auto fresh = stream();
    fresh.seek(places[i]);
    EXPECT_EQ(fresh.position(), places[i]);
    for (std::size_t j = i; j < std::min(i + 3, batches.size()); ++j) {
      EXPECT_EQ(fresh.next().source, batches[j]);
      EXPECT_EQ(fresh.position(), places[j + 1]);
    }
    const auto far = (i * 37) % batches.size();
    wanderer.seek(places[far]);
    EXPECT_EQ(wanderer.next().source, batches[far]);
  }
}

TEST_F(BatchStreamTest, RefusesAPositionThatDoesNotExist) {
  auto batches = stream();
  const auto count = batches.batches_in_epoch();
  EXPECT_NO_THROW(batches.seek({0, count}));
  EXPECT_THAT(
      [&] {
        batches.seek({0, count + 1});
      },
      ThrowsMessage<ModelError>(HasSubstr("at most " + std::to_string(count) + " batches in epoch 0")));
  EXPECT_THROW(batches.seek({-1, 0}), ModelError);
  EXPECT_THROW(batches.seek({0, -1}), ModelError);
}

class SubwordSamplingTest : public testing::Test {
 protected:
  static constexpr std::int64_t kMaxLength = 12;

  SubwordSamplingTest() {
    const CorpusFiles files(text("boat river tree "), text("Fluss Baum Boot "));
    const std::array paths{files.source(), files.target()};
    TokenizerConfig config;
    config.vocabulary_size = 40;
    const auto model = train_tokenizer(paths, config);
    tokenizer_.emplace(model, "model");
    corpus_.emplace(
        ParallelCorpus::read(files.source(), files.target(), *tokenizer_, *tokenizer_, {.max_length = kMaxLength}));
    sampler_ = std::make_shared<SubwordSampler>(model, 0.3);
  }

  static std::string text(const std::string& words) {
    std::string text;
    for (std::size_t i = 0; i < 100; ++i) text += (words + words).substr(i % words.size(), 5 + i % 17) + "\n";
    return text;
  }
  BatchStream stream(bool sampled, std::uint64_t seed = 1) const {
    const SubwordSampling sampling{sampler_, sampler_, kMaxLength};
    return {*corpus_, 100, RandomStream(seed, "run"), sampled ? std::optional(sampling) : std::nullopt};
  }
  std::vector<std::string> texts(const std::vector<Ids>& sentences) const {
    std::vector<std::string> texts;
    for (const auto& ids : sentences) texts.push_back(tokenizer_->decode(ids));
    return texts;
  }

  std::optional<SentencePieceTokenizer> tokenizer_;
  std::optional<ParallelCorpus> corpus_;
  std::shared_ptr<const SubwordSampler> sampler_;
};

TEST_F(SubwordSamplingTest, BatchesHoldTheSameTextInOtherPieces) {
  auto plain = stream(false), sampled = stream(true);
  int other_source = 0, other_target = 0;
  for (std::int64_t i = 0; i < 2 * plain.batches_in_epoch(); ++i) {
    const auto wanted = plain.next(), got = sampled.next();
    EXPECT_EQ(texts(got.source), texts(wanted.source));
    EXPECT_EQ(texts(got.target), texts(wanted.target));
    other_source += got.source != wanted.source;
    other_target += got.target != wanted.target;
    for (const auto* sentences : {&got.source, &got.target})
      for (const auto& ids : *sentences) {
        EXPECT_EQ(ids.back(), kEos);
        EXPECT_LE(std::ssize(ids), kMaxLength);
      }
  }
  EXPECT_GT(other_source, plain.batches_in_epoch());
  EXPECT_GT(other_target, plain.batches_in_epoch());
}

TEST_F(SubwordSamplingTest, DrawingAheadChangesNothing) {
  auto plain = stream(true), ahead = stream(true);
  for (std::int64_t i = 0; i < 3 * plain.batches_in_epoch(); ++i) {
    const auto expected = plain.next(), got = ahead.next();
    EXPECT_EQ(got.source, expected.source);
    EXPECT_EQ(got.target, expected.target);
    ahead.draw_ahead(i % 4);
  }
}

TEST_F(SubwordSamplingTest, PiecesAreAFunctionOfSeedEpochAndPair) {
  auto unbroken = stream(true);
  std::vector<EpochPosition> places{unbroken.position()};
  std::vector<Batch> batches;
  while (unbroken.position().epoch < 2) {
    batches.push_back(unbroken.next());
    places.push_back(unbroken.position());
  }
  for (std::size_t i = 0; i < batches.size(); ++i) {
    auto resumed = stream(true);
    resumed.seek(places[i]);
    const auto batch = resumed.next();
    EXPECT_EQ(batch.source, batches[i].source);
    EXPECT_EQ(batch.target, batches[i].target);
  }
  const auto drawn = [&](std::uint64_t seed, std::int64_t epoch) {
    auto batches_of_epoch = stream(true, seed);
    batches_of_epoch.seek({epoch, 0});
    std::map<std::string, std::multiset<Ids>> pieces;
    for (const auto& batch : take_epoch(batches_of_epoch))
      for (const auto& ids : batch.source) pieces[tokenizer_->decode(ids)].insert(ids);
    return pieces;
  };
  EXPECT_EQ(drawn(1, 0), drawn(1, 0));
  EXPECT_NE(drawn(1, 0), drawn(1, 1));
  EXPECT_NE(drawn(1, 0), drawn(2, 0));
}

TEST(BatchStreamPaddingTest, BatchesHaveLittlePadding) {
  const auto corpus = make_corpus(10'000);
  BatchStream batches(corpus, 4096, RandomStream(1, "run"));
  double source = 0, target = 0, padded_source = 0, padded_target = 0;
  for (const auto& batch : take_epoch(batches)) {
    const auto sentences = static_cast<double>(batch.source.size());
    for (const auto& ids : batch.source) source += static_cast<double>(ids.size());
    target += static_cast<double>(batch.target_tokens());
    padded_source += static_cast<double>(longest(batch.source)) * sentences;
    padded_target += static_cast<double>(longest(batch.target)) * sentences;
  }
  EXPECT_LT(1 - source / padded_source, 0.05);
  EXPECT_LT(1 - target / padded_target, 0.05);
}

}  // namespace
}  // namespace gloss
