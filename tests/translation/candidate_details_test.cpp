#include "translation/candidate_details.h"

#include <cmath>
#include <cstdint>
#include <fstream>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "decoding/scorers/ensemble_scorer.h"
#include "decoding/scorers/make_scorer.h"
#include "tests/support/device_test.h"
#include "tests/support/small_model.h"
#include "tests/support/temporary_folder.h"
#include "tokenizer/sentencepiece_tokenizer.h"
#include "tokenizer/train_tokenizer.h"

namespace gloss {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

/// Adds a mark to every text, which its pieces do not have.
class ShoutingTokenizer final : public Tokenizer {
 public:
  explicit ShoutingTokenizer(std::shared_ptr<const Tokenizer> usual) : usual_(std::move(usual)) {}
  Ids encode(std::string_view line) const override { return usual_->encode(line); }
  std::string decode(std::span<const Id> ids) const override { return usual_->decode(ids) + "!"; }
  PieceSpans decode_with_spans(std::span<const Id> ids) const override {
    return {.text = decode(ids),
            .ids = {ids.begin(), ids.end()},
            .spans = std::vector<PieceSpans::Span>(ids.size()),
            .spans_known = false};
  }
  std::int64_t vocabulary_size() const override { return usual_->vocabulary_size(); }
  const std::string& serialized() const override { return usual_->serialized(); }

 private:
  std::shared_ptr<const Tokenizer> usual_;
};

/// Untrained models of a vocabulary of letters.
class CandidateDetailsTest : public DeviceTest {
 protected:
  static std::shared_ptr<const Tokenizer> letters(TokenizerConfig config = {}) {
    const TemporaryFolder folder;
    std::ofstream(folder / "text") << "ab ba\nb a b\nabba\n";
    config.type = TokenizerType::kChar;
    config.vocabulary_size = 400;
    return std::make_shared<SentencePieceTokenizer>(
        train_tokenizer(std::vector<std::filesystem::path>{folder / "text"}, config), "letters");
  }
  EncoderDecoder model(std::uint64_t seed) const {
    const auto pieces = tokenizer_->vocabulary_size();
    auto result = make_model(small_config(), {pieces, pieces}, RandomStream(seed, "weights"));
    result->to(device());
    return result;
  }
  LineTranslator translator(const std::vector<std::uint64_t>& seeds = {1}) const {
    std::vector<std::shared_ptr<const Scorer>> scorers;
    for (const auto seed : seeds) scorers.push_back(make_scorer(model(seed), small_config(), 30));
    const Aligner aligner{scorers.front(), default_attention_site(small_config())};
    return LineTranslator(make_ensemble(std::move(scorers)), tokenizer_, target_ ? target_ : tokenizer_, 30, aligner);
  }
  static DecodingConfig search() { return {.beam_size = 3, .max_length = 12, .n_best = 2, .batch_size = 2}; }
  std::vector<LineTranslation> details(const DetailOptions& options, const std::vector<std::uint64_t>& seeds = {1},
                                       const DecodingConfig& config = search()) const {
    return translator(seeds).translate({.lines = lines_, .details = options}, config);
  }
  /// The translation of "a b" that consists of `text` alone.
  LineTranslation::Candidate forced(const std::string& text, const DetailOptions& options) const {
    const std::vector<std::string> lines = {"a b"}, prefixes = {text};
    auto config = search();
    config.max_length = std::ssize(tokenizer_->encode(text));
    return translator()
        .translate({.lines = lines, .prefixes = prefixes, .details = options}, config)
        .at(0)
        .candidates.at(0);
  }

  std::shared_ptr<const Tokenizer> tokenizer_ = letters(), target_;
  std::vector<std::string> lines_ = {"a b", "", "b b a"};
};

TEST_P(CandidateDetailsTest, CandidatesHavePiecesAndTheirPlacesWithoutAnyDetail) {
  for (const auto& translation : details({}))
    for (const auto& candidate : translation.candidates) {
      std::string joined;
      for (const auto& [piece, log_probability, place] : candidate.tokens) {
        EXPECT_LE(place.end, candidate.text.size());
        joined += candidate.text.substr(place.begin, place.end - place.begin);
      }
      EXPECT_EQ(joined, candidate.text);
      EXPECT_THAT(candidate.words, IsEmpty());
      EXPECT_THAT(candidate.alignment, IsEmpty());
      EXPECT_THAT(candidate.flags.names(), IsEmpty());
    }
}

TEST_P(CandidateDetailsTest, DetailsChangeNothingElse) {
  const auto plain = details({}), all = details({.confidence = true, .alignment = true, .replace_unknown = true});
  for (std::size_t i = 0; i < plain.size(); ++i) {
    ASSERT_EQ(plain[i].candidates.size(), all[i].candidates.size());
    for (std::size_t c = 0; c < plain[i].candidates.size(); ++c) {
      EXPECT_EQ(plain[i].candidates[c].score, all[i].candidates[c].score);
      EXPECT_EQ(plain[i].candidates[c].tokens.size(), all[i].candidates[c].tokens.size());
    }
  }
}

TEST_P(CandidateDetailsTest, TokensAddUpToTheLogProbabilityOfTheSearch) {
  for (const auto& seeds : {std::vector<std::uint64_t>{1}, std::vector<std::uint64_t>{1, 2}}) {
    SCOPED_TRACE(std::to_string(seeds.size()) + " models");
    const auto found = details({.confidence = true}, seeds);
    for (const std::size_t i : {0, 2}) {
      ASSERT_THAT(found[i].candidates, SizeIs(2));
      for (const auto& candidate : found[i].candidates) {
        double sum = 0;
        for (const auto& token : candidate.tokens) sum += token.log_probability;
        EXPECT_NEAR(sum, candidate.log_probability, 1e-9);
        std::vector<std::string> words;
        for (const auto& word : candidate.words) words.push_back(word.text);
        EXPECT_EQ(words, words_of(candidate.text));
      }
    }
  }
}

TEST_P(CandidateDetailsTest, ConfidenceOfAWordCountsItsPiecesAndTheSpaceBeforeIt) {
  TokenizerConfig config;
  config.byte_fallback = true;
  tokenizer_ = letters(config);
  const auto candidate = forced("ab \U0001f6a3 b", {.confidence = true});
  const auto& tokens = candidate.tokens;
  const auto& words = candidate.words;
  ASSERT_THAT(tokens, SizeIs(10));  // a space and two letters, a space and four bytes, a space and a letter
  ASSERT_THAT(words, SizeIs(3));
  const auto sum = [&](std::size_t begin, std::size_t end) {
    double result = 0;
    for (auto i = begin; i < end; ++i) result += tokens[i].log_probability;
    return result;
  };
  EXPECT_NEAR(std::log(words[0].confidence), sum(0, 3), 1e-9);
  EXPECT_NEAR(std::log(words[1].confidence), sum(3, 8), 1e-9);
  EXPECT_NEAR(std::log(words[2].confidence), sum(8, 10), 1e-9);
}

TEST_P(CandidateDetailsTest, ATokenizerThatRewritesItsTextLeavesOutWordsAndLinks) {
  target_ = std::make_shared<ShoutingTokenizer>(tokenizer_);
  const auto candidate = forced("\u2603", {.confidence = true, .alignment = true, .replace_unknown = true});
  EXPECT_EQ(candidate.text, tokenizer_->decode(tokenizer_->encode("\u2603")) + "!");
  EXPECT_FALSE(candidate.spans_known);
  EXPECT_THAT(candidate.words, IsEmpty());
  EXPECT_THAT(candidate.alignment, IsEmpty());
  EXPECT_TRUE(candidate.flags.unknown);
}

TEST_P(CandidateDetailsTest, UnknownPiecesOfAPrefixHaveItsText) {
  for (const std::string text : {"a\u2603b", "\u2603 b", "a \u2603\u2604"}) {
    for (const bool replace : {false, true}) {
      const auto candidate = forced(text, {.confidence = true, .replace_unknown = replace});
      EXPECT_EQ(candidate.text, text);
      EXPECT_TRUE(candidate.flags.unknown);
      const auto& last = candidate.tokens.back().span;
      EXPECT_EQ(last.end, text.size());
      EXPECT_TRUE(candidate.text.substr(last.begin, last.end - last.begin).ends_with(text.back()));
    }
  }
}

TEST_P(CandidateDetailsTest, LinksAreBetweenWordsThatExist) {
  std::size_t count = 0;
  for (const AttentionSite site : {AttentionSite{0, 0}, {0, 1}, {1, 0}, {1, 1}})
    for (const auto* text : {"ab ba b a", "b", "abba b"}) {
      const auto candidate = forced(text, {.alignment = true, .alignment_from = site});
      EXPECT_EQ(std::ssize(candidate.links), std::ssize(tokenizer_->encode(text)));
      for (const auto& [source, to_end, weight] : candidate.links)
        EXPECT_LT(source, std::ssize(tokenizer_->encode("a b")));
      for (const auto& [source, target] : candidate.alignment) {
        EXPECT_LT(source, 2);
        EXPECT_LT(target, std::ssize(words_of(candidate.text)));
        ++count;
      }
    }
  EXPECT_GT(count, 0u);
}

TEST_P(CandidateDetailsTest, AlignmentsMayBeCanceled) {
  const auto aligning = translator();
  int calls = 0;
  const auto translate = [&](bool alignment, int last) {
    calls = 0;
    aligning.translate({.lines = lines_, .details = {.alignment = alignment}}, search(), {.before_step = [&] {
                         if (++calls == last) throw std::runtime_error("enough");
                       }});
    return calls;
  };
  const auto searched = translate(false, 0), aligned = translate(true, 0);
  EXPECT_GT(aligned, searched);
  EXPECT_THROW(translate(true, aligned), std::runtime_error);
  EXPECT_EQ(calls, aligned);
}

// One model's greedy search keeps its attention; that of an ensemble is not the first model's.
TEST_P(CandidateDetailsTest, AGreedySearchNeedsNoPassForItsAlignment) {
  auto config = search();
  config.beam_size = config.n_best = 1;
  for (const auto& seeds : {std::vector<std::uint64_t>{1}, std::vector<std::uint64_t>{1, 2}}) {
    const auto aligning = translator(seeds);
    const auto steps = [&](bool alignment) {
      int calls = 0;
      aligning.translate({.lines = lines_, .details = {.alignment = alignment}}, config,
                         {.before_step = [&] { ++calls; }});
      return calls;
    };
    EXPECT_EQ(steps(true) == steps(false), seeds.size() == 1);
  }
}

TEST_P(CandidateDetailsTest, AnEmptyLineHasNoDetails) {
  const auto found = details({.confidence = true, .alignment = true});
  ASSERT_THAT(found[1].candidates, SizeIs(1));
  const auto& candidate = found[1].candidates[0];
  EXPECT_EQ(candidate.text, "");
  EXPECT_TRUE(candidate.ended_or_empty());
  EXPECT_THAT(candidate.tokens, IsEmpty());
  EXPECT_THAT(candidate.alignment, IsEmpty());
  EXPECT_THAT(candidate.flags.names(), IsEmpty());
}

TEST_P(CandidateDetailsTest, WithoutAModelToAlignWithAlignmentsAreRefused) {
  const LineTranslator without(make_scorer(model(1), small_config(), 30), tokenizer_, tokenizer_, 30);
  EXPECT_THROW(without.translate({.lines = lines_, .details = {.alignment = true}}, search()), UsageError);
  EXPECT_THROW(without.translate({.lines = lines_, .details = {.replace_unknown = true}}, search()), UsageError);
  EXPECT_NO_THROW(without.translate({.lines = lines_, .details = {.confidence = true}}, search()));
}

INSTANTIATE_DEVICES(CandidateDetailsTest);

}  // namespace
}  // namespace gloss
