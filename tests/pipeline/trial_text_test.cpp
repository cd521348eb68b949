#include "pipeline/trial_text.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pipeline/small_job.h"
#include "tokenizer/sentencepiece_tokenizer.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class TrialTextTest : public testing::Test {
 protected:
  TrialTextTest() {
    const auto& data = job_.config.data;
    write_lines(data.train_source, {"abc", std::string(30, 'x'), "", "q"});
    write_lines(data.train_target, {"\u00e4\u00f6", "abcd", "z", std::string(90, 'y')});
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> training() const {
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
    for (const auto& [source, target] : text_lengths(job_.config, {}).pairs) pairs.emplace_back(source, target);
    return pairs;
  }

  SmallJob job_;
};

TEST_F(TrialTextTest, WithoutATokenizerBytesAreCountedOrCharacters) {
  using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;
  job_.config.tokenizer.type = TokenizerType::kBpe;
  EXPECT_EQ(training(), (Pairs{{2, 2}, {8, 2}, {2, 21}})) << "the pair with an empty side is left out";
  job_.config.tokenizer.type = TokenizerType::kChar;
  EXPECT_EQ(training(), (Pairs{{5, 4}, {32, 6}})) << "the pair of more than data.max_length = 64, too";
}

TEST_F(TrialTextTest, LengthsByATokenizerAndTheCorpusFileAreThoseOfTheRun) {
  testing::internal::CaptureStderr();
  SmallJob job;
  job.run();
  testing::internal::GetCapturedStderr();
  job.config.tokenizer.model_file = job / "run/tokenizer.model";
  const std::shared_ptr<const Tokenizer> tokenizer = SentencePieceTokenizer::load(job / "run/tokenizer.model");
  const auto lengths = text_lengths(job.config, {tokenizer, tokenizer});
  EXPECT_EQ(lengths.pairs.size(), 60);
  EXPECT_EQ(lengths.valid.size(), 20);
  EXPECT_EQ(lengths.test.size(), 20);
  const auto file = static_cast<std::int64_t>(std::filesystem::file_size(job / "run/corpus.cache"));
  EXPECT_GT(lengths.corpus_file, 60 * 2 * 2);
  EXPECT_LT(lengths.corpus_file, file);
  EXPECT_GT(lengths.corpus_file, file - 2000) << "but for the footer";
  EXPECT_THAT(lengths.unknown, IsEmpty());
}

TEST_F(TrialTextTest, ATextThatCannotBeReadIsSaidAndTheOthersAreRead) {
  std::filesystem::remove(job_.config.data.train_target);
  const auto lengths = text_lengths(job_.config, {});
  EXPECT_THAT(lengths.unknown, HasSubstr("train.target: wanted a text file, but it is not there"));
  EXPECT_THAT(lengths.pairs, IsEmpty());
  EXPECT_EQ(lengths.corpus_file, 0);
  EXPECT_EQ(lengths.valid.size(), 20);
}

TEST(TrialBatchesTest, BatchesGoFromShortToLongAndHoldTheLongerSidesPositions) {
  const auto batches = batches_of({{3, 9}, {2, 2}, {10, 1}, {2, 3}, {40, 40}}, 20);
  std::vector<std::vector<std::int64_t>> longer;
  for (const auto& batch : batches) {
    longer.emplace_back();
    for (const auto& pair : batch) longer.back().push_back(pair.longer());
  }
  EXPECT_THAT(longer, ElementsAre(ElementsAre(2, 3), ElementsAre(9, 10), ElementsAre(40)));
}

TEST(TrialBatchesTest, SamplingMakesSentencesLonger) {
  RunConfig config;
  EXPECT_EQ(growth_by_sampling(config), 1);
  config.data.subword_sampling = 0.1;
  EXPECT_NEAR(growth_by_sampling(config), 1.4, 1e-9);
  config.tokenizer.type = TokenizerType::kUnigram;
  EXPECT_NEAR(growth_by_sampling(config), 2, 1e-9);
}

}  // namespace
}  // namespace gloss
