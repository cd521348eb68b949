#include "data/epoch_stage.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/mapped_file.h"
#include "common/system/descriptor.h"
#include "data/batch_stream.h"
#include "data/corpus_writer.h"
#include "tests/data/letter_tokenizer.h"

namespace gloss {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Returns a corpus of texts with these numbers of pairs.
ParallelCorpus corpus_of(const std::vector<int>& pairs) {
  std::vector<std::unique_ptr<CorpusFiles>> files;
  std::vector<TextFiles> texts;
  int number = 0;
  for (const int count : pairs) {
    std::string lines;
    for (int i = 0; i < count; ++i) lines += std::string(static_cast<std::size_t>(++number % 7 + 1), 'x') + "\n";
    files.push_back(std::make_unique<CorpusFiles>(lines, lines));
    texts.push_back({files.back()->source(), files.back()->target()});
  }
  const LetterTokenizer letters;
  return ParallelCorpus::read(texts, letters, letters, {});
}

/// Returns a run file's stages, each with the weights of the texts; 0: the stage does not have the text. All stages but
/// the last have `epochs` epochs.
DataConfig config_of(const std::vector<std::vector<double>>& weights, std::int64_t epochs = 2) {
  DataConfig config;
  for (const auto& stage : weights) {
    auto& added = config.stages.emplace_back();
    for (std::size_t i = 0; i < stage.size(); ++i)
      if (stage[i] > 0) added.sources.push_back({std::to_string(i) + ".s", std::to_string(i) + ".t", stage[i]});
    if (config.stages.size() < weights.size()) added.until_epochs = epochs;
  }
  config.validate();
  return config;
}

/// Returns how often epoch `epoch` has each pair of the corpus. Expects each occurrence once.
std::vector<int> counts(const std::vector<EpochStage>& stages, const ParallelCorpus& corpus, std::int64_t epoch) {
  std::vector<int> counts(static_cast<std::size_t>(corpus.size()));
  auto occurrences =
      occurrences_of(stages[stage_of(stages, epoch)], epoch, corpus.size(), RandomStream(1, "run").stream("data"));
  for (const auto occurrence : occurrences) ++counts[static_cast<std::size_t>(pair_of(occurrence, corpus))];
  std::ranges::sort(occurrences);
  EXPECT_EQ(std::ranges::adjacent_find(occurrences), occurrences.end());
  return counts;
}

TEST(EpochStageTest, WithoutStagesAnEpochHasEachPairOnceInOrder) {
  const auto corpus = corpus_of({5});
  const auto stages = one_stage(corpus);
  for (const std::int64_t epoch : {0, 1, 1000})
    EXPECT_THAT(occurrences_of(stages[0], epoch, corpus.size(), RandomStream(1, "run")), ElementsAre(0, 1, 2, 3, 4));
  DataConfig config;
  config.train_source = config.train_target = "text";
  const auto same = epoch_stages(config, corpus);
  ASSERT_EQ(same.size(), 1u);
  EXPECT_EQ(same[0].texts[0].end, 5);
  EXPECT_EQ(same[0].texts[0].weight, stages[0].texts[0].weight);
}

TEST(EpochStageTest, StagesHaveTheirTextsAndBeginAfterEachOther) {
  const auto corpus = corpus_of({2, 3});
  const auto stages = epoch_stages(config_of({{1, 2}, {0, 1}, {3, 0}}), corpus);
  EXPECT_THAT(counts(stages, corpus, 0), ElementsAre(1, 1, 2, 2, 2));
  EXPECT_EQ(counts(stages, corpus, 1), counts(stages, corpus, 0));
  EXPECT_THAT(counts(stages, corpus, 2), ElementsAre(0, 0, 1, 1, 1));
  EXPECT_EQ(counts(stages, corpus, 3), counts(stages, corpus, 2));
  for (const std::int64_t epoch : {4, 5, 1'000'000})
    EXPECT_THAT(counts(stages, corpus, epoch), ElementsAre(3, 3, 0, 0, 0));
}

TEST(EpochStageTest, AFractionTakesAnotherPartInEachEpochAndAllPartsEquallyOften) {
  const auto corpus = corpus_of({3, 12});
  const auto stages = epoch_stages(config_of({{1, 0.25}}), corpus);
  std::vector<int> sums(15);
  for (std::int64_t epoch = 0; epoch < 4; ++epoch) {
    const auto of_epoch = counts(stages, corpus, epoch);
    EXPECT_EQ(std::count(of_epoch.begin() + 3, of_epoch.end(), 1), 3) << epoch;
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += of_epoch[i];
  }
  EXPECT_THAT(std::vector(sums.begin(), sums.begin() + 3), Each(4));
  EXPECT_THAT(std::vector(sums.begin() + 3, sums.end()), Each(1)) << "each pair once in four epochs";
  EXPECT_NE(counts(stages, corpus, 0), counts(stages, corpus, 1));
  EXPECT_EQ(counts(stages, corpus, 1), counts(stages, corpus, 5)) << "a rotation";
}

// The counts of an epoch and of all epochs before it are those of the weight, rounded, for any weight and size.
TEST(EpochStageTest, CountsAreThoseOfTheWeightForAnyWeight) {
  for (const int pairs : {1, 2, 7, 29, 100})
    for (const double weight : {0.1, 0.29, 0.3, 1.0 / 3, 0.5, 0.7, 0.999, 1.1, 2.0, 2.75, 13.37}) {
      const auto corpus = corpus_of({pairs, 1});
      const auto stages = epoch_stages(config_of({{weight, 1}}), corpus);
      std::vector<int> sums(static_cast<std::size_t>(pairs));
      double total = 0;
      for (int epoch = 0; epoch < 40; ++epoch) {
        const auto of_epoch = counts(stages, corpus, epoch);
        int size = 0;
        for (std::size_t i = 0; i < sums.size(); ++i) {
          EXPECT_TRUE(of_epoch[i] == std::floor(weight) || of_epoch[i] == std::ceil(weight)) << weight;
          sums[i] += of_epoch[i];
          size += of_epoch[i];
        }
        EXPECT_TRUE(std::abs(size - weight * pairs) < 1 + 1e-6) << pairs << " pairs, weight " << weight;
        total += size;
        EXPECT_NEAR(total, (epoch + 1) * weight * pairs, 1 + 1e-6);
        EXPECT_LE(std::ranges::max(sums) - std::ranges::min(sums), 1) << "no pair is ahead of another";
      }
    }
}

TEST(EpochStageTest, TenTenthsAreExactlyTheText) {
  const auto corpus = corpus_of({100});
  for (const double weight : {0.1, 0.3, 0.7, 0.29}) {
    const auto stages = epoch_stages(config_of({{weight}}), corpus);
    for (int epoch = 0; epoch < 200; ++epoch) {
      const auto of_epoch = counts(stages, corpus, epoch);
      ASSERT_EQ(std::ranges::count(of_epoch, 1), std::llround(100 * weight)) << epoch;
    }
  }
}

TEST(EpochStageTest, TheRotationIsAFunctionOfTheSeed) {
  const auto corpus = corpus_of({40});
  const auto stages = epoch_stages(config_of({{0.5}}), corpus);
  const auto draw = [&](std::uint64_t seed) {
    return occurrences_of(stages[0], 3, corpus.size(), RandomStream(seed, "run"));
  };
  EXPECT_EQ(draw(1), draw(1));
  EXPECT_NE(draw(1), draw(2));
}

TEST(EpochStageTest, AnEpochThatCouldBeEmptyIsRefusedByKey) {
  const auto corpus = corpus_of({25, 1000});
  const auto refused = [&](const std::vector<std::vector<double>>& weights, const std::string& message) {
    EXPECT_THAT([&] { epoch_stages(config_of(weights), corpus); }, ThrowsMessage<UsageError>(HasSubstr(message)));
  };
  refused(
      {{0.039, 0}, {0, 1}},
      "data.stages[0].sources[0].weight: wanted a weight with which each epoch of the stage has one of the 25 pairs, "
      "about 0.04, got 0.039");
  refused({{1, 1}, {0.01, 0.0009}}, "data.stages[1].sources[0].weight");
  EXPECT_NO_THROW(epoch_stages(config_of({{0.04, 0}, {0, 0.001}}), corpus));
  EXPECT_NO_THROW(epoch_stages(config_of({{0.000001, 0.001}}), corpus));
}

TEST(EpochStageTest, MoreOccurrencesThanAnEpochCanHoldAreRefusedByKey) {
  constexpr std::int64_t kPairs = 4'294'968;  // 2^32 / 1000, rounded up
  const auto file = open_memory_file();
  CorpusWriter writer([&](std::span<const std::byte> bytes) { write_all(file, bytes); }, 100, 100);
  for (std::int64_t i = 0; i < kPairs; ++i) writer.add(Ids{kEos}, Ids{kEos});
  writer.finish({}, std::vector{CorpusReport{.pairs = kPairs}});
  const auto corpus = ParallelCorpus::open(MappedFile(file, "memory"), "memory", ParallelCorpus::Check::kIndex);
  EXPECT_THAT(
      [&] { epoch_stages(config_of({{1000}}), corpus); },
      ThrowsMessage<UsageError>(HasSubstr("data.stages[0].sources[0].weight: wanted weights with which an epoch "
                                          "has fewer than 2^32 pairs; all texts have 4294968, got 1000.0")));
  EXPECT_NO_THROW(epoch_stages(config_of({{999}}), corpus));
  EXPECT_THROW(epoch_stages(config_of({{999.000001}}), corpus), UsageError);
}

TEST(EpochStageTest, BatchesOfAStreamAreThoseOfTheStages) {
  const auto corpus = corpus_of({30, 20});
  const auto stages = epoch_stages(config_of({{1, 2}, {0.5, 0}}, /*epochs=*/1), corpus);
  const auto make = [&] { return BatchStream(corpus, stages, 40, RandomStream(1, "run")); };
  auto stream = make();
  std::vector<std::int64_t> sizes;
  for (std::int64_t epoch = 0; epoch < 4; ++epoch) {
    std::int64_t pairs = 0;
    do pairs += std::ssize(stream.next().source);
    while (stream.position().batch < stream.batches_in_epoch());
    EXPECT_EQ(stream.position().epoch, epoch);
    sizes.push_back(pairs);
  }
  EXPECT_THAT(sizes, ElementsAre(70, 15, 15, 15));

  const auto expected = make().expected_epochs(0, 10);
  ASSERT_EQ(expected.size(), 2u);
  EXPECT_EQ(expected[0].epochs, 1);
  EXPECT_EQ(expected[0].batches, make().batches_in_epoch());
  EXPECT_EQ(expected[1].epochs, 9);
  EXPECT_NEAR(static_cast<double>(expected[1].batches), static_cast<double>(make().batches_in_epoch()) * 15 / 70, 2);
  EXPECT_NEAR(make().share_of_corpus(), 1.4, 0.05);
  EXPECT_TRUE(make().expected_epochs(3, 3).empty());
}

TEST(EpochStageTest, AStreamContinuesAtAnyPlaceWithTheSameBatches) {
  const auto corpus = corpus_of({30, 20});
  const auto stages = epoch_stages(config_of({{1, 0.3}, {2.5, 0}}, /*epochs=*/2), corpus);
  const auto make = [&] { return BatchStream(corpus, stages, 60, RandomStream(1, "run")); };
  auto unbroken = make();
  for (int i = 0; i < 60; ++i) {
    auto resumed = make();
    resumed.seek(unbroken.position());
    const auto batch = unbroken.next(), again = resumed.next();
    EXPECT_EQ(batch.source, again.source) << i;
    EXPECT_EQ(resumed.position(), unbroken.position());
  }
  EXPECT_GT(unbroken.position().epoch, 3);
  EXPECT_THROW(make().seek({std::int64_t{1} << 32, 0}), ModelError);
}

}  // namespace
}  // namespace gloss
