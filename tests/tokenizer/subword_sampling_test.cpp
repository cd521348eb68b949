#include "tokenizer/subword_sampling.h"

#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sentencepiece_trainer.h>

#include "common/error.h"
#include "tests/support/temporary_folder.h"
#include "tests/tokenizer/training_text.h"
#include "tokenizer/sentencepiece_tokenizer.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

const RandomStream kRandom(1, "subwords");

std::vector<std::string> lines() {
  std::vector<std::string> lines{"",
                                 "  two   spaces ",
                                 "<s> </s> <unk>",
                                 "\u2581 A\u2581",
                                 "unknown: ☃☃ x☃y \U0001F600",
                                 "rivers and boats",
                                 "überqueren",
                                 "aaaaaaaaaaaaaaaaaaaaaaaaaaa",
                                 "小さなriver川"};
  const auto text = training_text();
  for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1)
    lines.push_back(text.substr(begin, text.find('\n', begin) - begin));
  return lines;
}

TokenizerConfig with_bytes() {
  auto config = small_config();
  config.byte_fallback = true;
  config.vocabulary_size = 440;
  return config;
}

// User-defined pieces, and characters without a piece.
std::string model_with_user_defined_pieces() {
  std::string model;
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 20; ++i) text += "a small boat boats\nthe wide river rivers\na boat river\n";
  write_text(folder / "text", text);
  const std::unordered_map<std::string, std::string> options{{"input", (folder / "text").string()},
                                                             {"model_type", "bpe"},
                                                             {"vocab_size", "60"},
                                                             {"user_defined_symbols", "boat,ri,x"},
                                                             {"hard_vocab_limit", "false"},
                                                             {"pad_id", "0"},
                                                             {"unk_id", "1"},
                                                             {"bos_id", "2"},
                                                             {"eos_id", "3"},
                                                             {"minloglevel", "3"}};
  const auto status = sentencepiece::SentencePieceTrainer::Train(options, nullptr, &model);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return model;
}

Ids segment(const BpeDropout& bpe, const Ids& ids, double dropout, std::uint64_t sentence = 0) {
  RandomSequence draws(kRandom, sentence);
  return bpe.segment(ids, dropout, draws);
}

TEST(BpeDropoutTest, WithoutDropoutMatchesSentencePiece) {
  for (const auto& model : {train_on(training_text(), small_config()), train_on(training_text(), with_bytes()),
                            model_with_user_defined_pieces()}) {
    const SentencePieceTokenizer tokenizer(model, "model");
    const BpeDropout bpe(read_piece_table(model).pieces);
    for (const auto& line : lines()) EXPECT_EQ(segment(bpe, tokenizer.encode(line), 0), tokenizer.encode(line)) << line;
  }
}

TEST(BpeDropoutTest, WithoutMergesThePiecesAreCharacters) {
  const auto model = train_on(training_text(), small_config());
  const SentencePieceTokenizer tokenizer(model, "model");
  const BpeDropout bpe(read_piece_table(model).pieces);
  std::vector<std::string> pieces;
  for (const Id id : segment(bpe, tokenizer.encode("Two ☃☃rivers"), 1)) pieces.push_back(tokenizer.piece(id));
  EXPECT_THAT(pieces, ElementsAre("▁", "T", "w", "o", "▁", "<unk>", "r", "i", "v", "e", "r", "s"));
}

TEST(BpeDropoutTest, UserDefinedPiecesStayWholeWithoutMerges) {
  const auto model = model_with_user_defined_pieces();
  const SentencePieceTokenizer tokenizer(model, "model");
  const BpeDropout bpe(read_piece_table(model).pieces);
  std::vector<std::string> pieces;
  for (const Id id : segment(bpe, tokenizer.encode("a boat river"), 1)) pieces.push_back(tokenizer.piece(id));
  EXPECT_THAT(pieces, ElementsAre("▁", "a", "▁", "boat", "▁", "ri", "v", "e", "r"));
}

// The special pieces and others, best first.
std::vector<Piece> bpe_of(const std::vector<std::string>& texts) {
  std::vector<Piece> pieces{{"<pad>", 0, Piece::Type::kControl},
                            {"<unk>", 0, Piece::Type::kUnknown},
                            {"<s>", 0, Piece::Type::kControl},
                            {"</s>", 0, Piece::Type::kControl}};
  for (float score = 0; const auto& text : texts) pieces.push_back({text, score -= 1});
  return pieces;
}

// a b c with the merges ab, then (ab)c; and bc, which is worse.
std::vector<Piece> small_bpe() { return bpe_of({"ab", "abc", "bc", "a", "b", "c"}); }

TEST(BpeDropoutTest, TiesAreMergedFromTheLeft) {
  const BpeDropout bpe(bpe_of({"aa", "a"}));
  for (std::size_t length = 1; length < 12; ++length) {
    Ids expected(length / 2, 4);
    if (length % 2 == 1) expected.push_back(5);
    EXPECT_EQ(segment(bpe, Ids(length, 5), 0), expected) << length;
  }
}

TEST(BpeDropoutTest, MergedPieceMergesWithBothNeighbors) {
  const BpeDropout bpe(bpe_of({"bc", "de", "bcde", "ab", "abcde", "a", "b", "c", "d", "e"}));
  EXPECT_THAT(segment(bpe, {10, 11, 12, 13}, 0), ElementsAre(6));  // bc, de, and then their neighbors
  EXPECT_THAT(segment(bpe, {12, 13, 10, 11, 12, 13}, 0), ElementsAre(5, 6));
}

TEST(BpeDropoutTest, MergesAreSkippedWithTheGivenProbability) {
  constexpr double kDropout = 0.3, kKept = 1 - kDropout;
  constexpr int kSentences = 20'000;
  const BpeDropout bpe(small_bpe());
  std::map<Ids, double> shares;
  for (int i = 0; i < kSentences; ++i)
    shares[segment(bpe, {5, 3}, kDropout, static_cast<std::uint64_t>(i))] += 1.0 / kSentences;
  // ab comes up; then abc, or bc where ab was left out; after bc, abc comes up as a and bc.
  const std::map<Ids, double> expected{{{5, 3}, kKept * kKept + kDropout * kKept * kKept},
                                       {{4, 9, 3}, kKept * kDropout},
                                       {{7, 6, 3}, kDropout * kKept * kDropout},
                                       {{7, 8, 9, 3}, kDropout * kDropout}};
  ASSERT_EQ(shares.size(), expected.size());
  for (const auto& [ids, share] : expected) EXPECT_NEAR(shares[ids], share, 4 * std::sqrt(share / kSentences));
}

TEST(UnigramSamplingTest, SegmentationsHaveTheirProbabilities) {
  constexpr double kAlpha = 0.5;
  constexpr int kSentences = 20'000;
  auto pieces = small_bpe();
  const UnigramSampling unigram(pieces);
  std::map<Ids, double> expected{{{5}, 0}, {{4, 9}, 0}, {{7, 6}, 0}, {{7, 8, 9}, 0}}, shares;
  double sum = 0;
  for (auto& [ids, probability] : expected) {
    double score = 0;
    for (const Id id : ids) score += double{pieces[static_cast<std::size_t>(id)].score};
    sum += probability = std::exp(kAlpha * score);
  }
  for (int i = 0; i < kSentences; ++i) {
    RandomSequence draws(kRandom, static_cast<std::uint64_t>(i));
    shares[unigram.segment(Ids{5}, kAlpha, draws)] += 1.0 / kSentences;
  }
  ASSERT_EQ(shares.size(), expected.size());
  for (const auto& [ids, probability] : expected)
    EXPECT_NEAR(shares[ids], probability / sum, 4 * std::sqrt(probability / sum / kSentences));
}

TEST(UnigramSamplingTest, SpecialPiecesAreKept) {
  const UnigramSampling unigram(small_bpe());
  for (std::uint64_t i = 0; i < 50; ++i) {
    RandomSequence draws(kRandom, i);
    const auto ids = unigram.segment(Ids{1, 4, 9, 1, 1, 6, 3}, 0, draws);
    EXPECT_EQ(ids.front(), 1);
    EXPECT_EQ(std::ranges::count(ids, 1), 3);
    EXPECT_EQ(ids.back(), 3);
  }
}

class SubwordSamplerTest : public testing::TestWithParam<TokenizerType> {};

TEST_P(SubwordSamplerTest, PiecesChangeButTheTextDoesNot) {
  const auto model = train_on(training_text(), small_config(GetParam()));
  const SentencePieceTokenizer tokenizer(model, "model");
  for (const double amount : {0.1, 0.5}) {
    const SubwordSampler sampler(model, amount);
    std::set<Ids> drawn;
    for (std::uint64_t sentence = 0; sentence < 20; ++sentence)
      for (const auto& line : lines()) {
        auto ids = tokenizer.encode(line);
        ids.push_back(kEos);
        const auto sample = sampler.sample(ids, kRandom, sentence);
        EXPECT_EQ(tokenizer.decode(sample), tokenizer.decode(ids));
        EXPECT_EQ(sample.back(), kEos);
        if (line == "rivers and boats") drawn.insert(sample);
      }
    EXPECT_GT(drawn.size(), 2u);
  }
}

TEST_P(SubwordSamplerTest, SampleIsAFunctionOfStreamAndSentence) {
  const auto model = train_on(training_text(), small_config(GetParam()));
  const SentencePieceTokenizer tokenizer(model, "model");
  const auto drawn = [&](const RandomStream& random, std::uint64_t sentence) {
    const SubwordSampler sampler(model, 0.3);
    std::vector<Ids> samples;
    for (const auto& line : lines()) samples.push_back(sampler.sample(tokenizer.encode(line), random, sentence));
    return samples;
  };
  const auto first = drawn(kRandom, 0);
  EXPECT_EQ(drawn(kRandom, 0), first);
  EXPECT_NE(drawn(kRandom, 1), first);
  EXPECT_NE(drawn(kRandom.at(1), 0), first);
  EXPECT_NE(drawn(kRandom.at(0, 1), 0), first);
}

INSTANTIATE_TEST_SUITE_P(Types, SubwordSamplerTest, testing::Values(TokenizerType::kBpe, TokenizerType::kUnigram),
                         [](const auto& type) { return std::string(tokenizer_type_name(type.param)); });

TEST(SubwordSamplerKindTest, UnusedPiecesAreRefused) {
  auto model = train_on(training_text(), small_config());
  EXPECT_NO_THROW(SubwordSampler(model, 0.1));
  model += std::string("\x0A\x06\x0A\x02zz\x18\x05", 8);  // one more piece, of the type unused
  EXPECT_THAT([&] { SubwordSampler(model, 0.1); }, ThrowsMessage<ModelError>(HasSubstr("without unused pieces")));
}

TEST(SubwordSamplerKindTest, CharactersAreRefused) {
  const auto model = train_on(training_text(), small_config(TokenizerType::kChar));
  EXPECT_THAT([&] { SubwordSampler(model, 0.1); },
              ThrowsMessage<UsageError>(HasSubstr("data.subword_sampling: wanted a tokenizer of type bpe or unigram")));
}

}  // namespace
}  // namespace gloss
