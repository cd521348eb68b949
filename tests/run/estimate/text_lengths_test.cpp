#include "run/estimate/text_lengths.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/run/small_job.h"
#include "tokenizer/sentencepiece_tokenizer.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class TextLengthsTest : public testing::Test {
 protected:
  TextLengthsTest() {
    const auto& data = job_.config.data;
    write_lines(data.train_source, {"abc", std::string(30, 'x'), "", "q"});
    write_lines(data.train_target, {"\u00e4\u00f6", "abcd", "z", std::string(90, 'y')});
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> training() const {
    std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
    for (const auto& [source, target] : text_lengths(job_.config, {}).pairs()) pairs.emplace_back(source, target);
    return pairs;
  }

  SmallJob job_;
};

TEST_F(TextLengthsTest, WithoutATokenizerBytesAreCountedOrCharacters) {
  using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;
  job_.config.tokenizer.type = TokenizerType::kBpe;
  job_.config.tokenizer.vocabulary_size = 8000;
  EXPECT_EQ(training(), (Pairs{{2, 2}, {8, 2}, {2, 20}})) << "the pair with an empty side is left out";
  job_.config.tokenizer.vocabulary_size = 1000;
  EXPECT_EQ(training(), (Pairs{{2, 3}, {11, 3}, {2, 31}})) << "a small vocabulary has shorter pieces";
  job_.config.tokenizer.type = TokenizerType::kChar;
  EXPECT_EQ(training(), (Pairs{{5, 4}, {32, 6}})) << "the pair of more than data.max_length = 64, too";
}

TEST_F(TextLengthsTest, PairsThatTrainingSkipsAreLeftOut) {
  auto& data = job_.config.data;
  write_lines(data.train_source, {"abc", "abcdefgh", "q", "abc", "abc"});
  write_lines(data.train_target, {"xyz", "xy", "q", "xyz", "xy"});
  EXPECT_EQ(training().size(), 5u);
  data.filters.max_ratio = 2;
  EXPECT_EQ(training().size(), 4u);
  data.filters.skip_copied = true;
  EXPECT_EQ(training().size(), 3u);
  data.filters.skip_repeated = true;
  EXPECT_EQ(training().size(), 2u);
}

TEST_F(TextLengthsTest, PairsThatAreHeldOutAreNoTrainingPairs) {
  auto& data = job_.config.data;
  data.valid_source = data.valid_target = "";
  data.hold_out = true;
  write_lines(data.train_source, std::vector<std::string>(100, "abc"));
  write_lines(data.train_target, std::vector<std::string>(100, "abc"));
  const auto lengths = text_lengths(job_.config, {});
  EXPECT_EQ(lengths.valid.size(), 10);
  EXPECT_EQ(lengths.pairs().size(), 90);
}

TEST_F(TextLengthsTest, LengthsByATokenizerAndTheCorpusFileAreThoseOfTheRun) {
  testing::internal::CaptureStderr();
  SmallJob job;
  job.run();
  testing::internal::GetCapturedStderr();
  job.config.tokenizer.model_file = job / "run/tokenizer.model";
  const std::shared_ptr<const Tokenizer> tokenizer = SentencePieceTokenizer::load(job / "run/tokenizer.model");
  const auto lengths = text_lengths(job.config, {tokenizer, tokenizer});
  EXPECT_EQ(lengths.pairs().size(), 60);
  EXPECT_EQ(lengths.valid.size(), 20);
  EXPECT_EQ(lengths.test.size(), 20);
  const auto file = static_cast<std::int64_t>(std::filesystem::file_size(job / "run/corpus.cache"));
  EXPECT_GT(lengths.corpus_file, 60 * 2 * 2);
  EXPECT_LT(lengths.corpus_file, file);
  EXPECT_GT(lengths.corpus_file, file - 2000) << "but for the footer";
  EXPECT_THAT(lengths.unknown, IsEmpty());
}

// The tokenizer gives one id for each byte, and eos.
class ByteTokenizer final : public Tokenizer {
 public:
  explicit ByteTokenizer(std::int64_t vocabulary_size, std::size_t ids_of_byte)
      : vocabulary_size_(vocabulary_size), ids_of_byte_(ids_of_byte) {}
  Ids encode(std::string_view line) const override { return Ids(line.size() * ids_of_byte_, 5); }
  std::string decode(std::span<const Id>) const override { return ""; }
  std::int64_t vocabulary_size() const override { return vocabulary_size_; }
  const std::string& serialized() const override { return serialized_; }

 private:
  std::int64_t vocabulary_size_;
  std::size_t ids_of_byte_;
  std::string serialized_;
};

TEST_F(TextLengthsTest, EachSideIsCountedByItsOwnTokenizer) {
  const auto& data = job_.config.data;
  write_lines(data.train_source, {"abc"});
  write_lines(data.train_target, {"abcd"});
  const auto lengths = [&](std::int64_t source, std::int64_t target) {
    return text_lengths(job_.config,
                        {std::make_shared<ByteTokenizer>(source, 1), std::make_shared<ByteTokenizer>(target, 2)});
  };
  const auto small = lengths(100, 65'536);
  ASSERT_EQ(small.pairs().size(), 1u);
  EXPECT_EQ(small.pairs()[0].source, 4);
  EXPECT_EQ(small.pairs()[0].target, 9);
  const auto more = 24;  // 26 bytes of ids more; each part begins at a multiple of 8
  EXPECT_EQ(lengths(100, 65'537).corpus_file, small.corpus_file + more);
  EXPECT_EQ(lengths(65'537, 100).corpus_file, lengths(100, 65'537).corpus_file);
}

TEST_F(TextLengthsTest, LengthsAboveTwoBytesTakeFour) {
  auto& config = job_.config;
  const std::size_t pairs = 800;
  write_lines(config.data.train_source, std::vector<std::string>(pairs, "abc"));
  write_lines(config.data.train_target, std::vector<std::string>(pairs, "abc"));
  config.data.max_length = 65'535;
  const auto two_bytes = text_lengths(config, {}).corpus_file;
  config.data.max_length = 65'536;
  EXPECT_EQ(text_lengths(config, {}).corpus_file - two_bytes, 2 * 2 * 800);
}

TEST_F(TextLengthsTest, ALongTextIsReadInPartAndTheFileIsThatOfAll) {
  auto& config = job_.config;
  const auto fill = [&](std::size_t lines) {
    write_lines(config.data.train_source, std::vector<std::string>(lines, "abc"));
    write_lines(config.data.train_target, std::vector<std::string>(lines, "ab"));
    return text_lengths(config, {});
  };
  const auto whole = fill(50'000), beginning = fill(100'000);
  EXPECT_EQ(whole.pairs().size(), 50'000u);
  EXPECT_EQ(beginning.pairs().size(), 50'000u);
  EXPECT_EQ(beginning.training_bytes, 100'000 * 7);
  EXPECT_NEAR(static_cast<double>(beginning.corpus_file) / static_cast<double>(whole.corpus_file), 2, 1e-3);
}

TEST_F(TextLengthsTest, PairsUpToTheLimitAreTakenAndHeldOutSourcesAreCutThere) {
  const auto& data = job_.config.data;
  write_lines(data.train_source, {std::string(62, 'x'), std::string(63, 'x'), "c"});
  write_lines(data.train_target, {"a", "b", ""});
  write_lines(data.valid_source, {"abc", std::string(100, 'x')});
  write_lines(data.valid_target, {"a", "b"});
  write_lines(data.test_source, {"abcd"});
  write_lines(data.test_target, {"a"});
  const auto lengths = text_lengths(job_.config, {});
  ASSERT_EQ(lengths.pairs().size(), 1u);
  EXPECT_EQ(lengths.pairs()[0].source, 64);
  EXPECT_THAT(lengths.valid, ElementsAre(5, 64));
  EXPECT_THAT(lengths.test, ElementsAre(6));
}

TEST_F(TextLengthsTest, TheFirstUnreadableTextIsReported) {
  std::filesystem::remove(job_.config.data.train_source);
  std::filesystem::remove(job_.config.data.test_source);
  EXPECT_THAT(text_lengths(job_.config, {}).unknown, HasSubstr("train.source"));
}

TEST_F(TextLengthsTest, AnUnreadableTextIsReportedAndTheOthersAreRead) {
  std::filesystem::remove(job_.config.data.train_target);
  const auto lengths = text_lengths(job_.config, {});
  EXPECT_THAT(lengths.unknown, HasSubstr("train.target: wanted a text file, but it is not there"));
  EXPECT_THAT(lengths.pairs(), IsEmpty());
  EXPECT_EQ(lengths.corpus_file, 0);
  EXPECT_EQ(lengths.valid.size(), 20);
}

TEST(GrowthBySamplingTest, SamplingMakesSentencesLonger) {
  RunConfig config;
  EXPECT_EQ(growth_by_sampling(config), 1);
  config.data.subword_sampling = 0.1;
  EXPECT_NEAR(growth_by_sampling(config), 1.4, 1e-9);
  config.tokenizer.type = TokenizerType::kUnigram;
  EXPECT_NEAR(growth_by_sampling(config), 2, 1e-9);
  config.data.subword_sampling = 0.01;
  EXPECT_EQ(growth_by_sampling(config), 4) << "no piece is longer than that";
  config.tokenizer.type = TokenizerType::kChar;
  EXPECT_EQ(growth_by_sampling(config), 1);
}

}  // namespace
}  // namespace gloss
