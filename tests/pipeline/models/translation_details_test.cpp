#include "pipeline/models/translation_details.h"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/make_model.h"
#include "pipeline/models/translation_ensemble.h"
#include "tests/pipeline/small_job.h"
#include "tests/support/device_test.h"
#include "tokenizer/sentencepiece_tokenizer.h"
#include "tokenizer/train_tokenizer.h"

namespace gloss {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

/// Shouts: what it says is not what its pieces write.
class ShoutingTokenizer final : public Tokenizer {
 public:
  explicit ShoutingTokenizer(std::shared_ptr<const Tokenizer> usual) : usual_(std::move(usual)) {}
  Ids encode(std::string_view line) const override { return usual_->encode(line); }
  std::string decode(std::span<const Id> ids) const override { return usual_->decode(ids) + "!"; }
  PieceSpans decode_placed(std::span<const Id> ids) const override {
    return {.text = decode(ids),
            .ids = {ids.begin(), ids.end()},
            .places = std::vector<PieceSpans::Place>(ids.size()),
            .placed = false};
  }
  std::int64_t vocabulary_size() const override { return usual_->vocabulary_size(); }
  const std::string& serialized() const override { return usual_->serialized(); }

 private:
  std::shared_ptr<const Tokenizer> usual_;
};

class TranslationDetailsTest : public DeviceTest {
 protected:
  std::filesystem::path write(std::uint64_t seed) const {
    const auto pieces = SentencePieceTokenizer(tokenizer_, "t").vocabulary_size();
    const auto model = make_model(job_.config.model, {pieces, pieces}, RandomStream(seed, "weights"));
    const auto file = job_ / ("model" + std::to_string(seed));
    write_model_file(file, model, {to_portable_json(job_.config), Json::object(), {{"tokenizer.model", tokenizer_}}});
    return file;
  }
  TranslationEnsemble load(const std::vector<std::uint64_t>& seeds) const {
    std::vector<std::filesystem::path> files;
    for (const auto seed : seeds) files.push_back(write(seed));
    return load_translation_ensemble(files, device());
  }
  static DecodingConfig search() { return {.beam_size = 3, .max_length = 12, .n_best = 2, .batch_size = 2}; }
  std::vector<DetailedTranslation> details(const TranslationEnsemble& models, const DetailsWanted& wanted) const {
    const auto translator = models.translator();
    return TranslationDetails(models.first(), translator, wanted, 2).of(lines_, translator.translate(lines_, search()));
  }

  SmallJob job_;
  std::string tokenizer_ =
      train_tokenizer(std::vector<std::filesystem::path>{job_.config.data.train_source}, job_.config.tokenizer);
  std::vector<std::string> lines_ = {"a b", "", "b b a"};
};

TEST_P(TranslationDetailsTest, WhereNothingIsWantedNothingIsFound) {
  const auto models = load({1});
  const auto found = details(models, {});
  const auto plain = models.translator().translate(lines_, search());
  ASSERT_EQ(found.size(), plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    ASSERT_EQ(found[i].candidates.size(), plain[i].candidates.size());
    for (std::size_t c = 0; c < plain[i].candidates.size(); ++c) {
      EXPECT_EQ(found[i].candidates[c].text, plain[i].candidates[c].text);
      EXPECT_EQ(found[i].candidates[c].hypothesis.score, plain[i].candidates[c].hypothesis.score);
      EXPECT_THAT(found[i].candidates[c].tokens, IsEmpty());
      EXPECT_THAT(found[i].candidates[c].alignment, IsEmpty());
    }
  }
}

TEST_P(TranslationDetailsTest, TokensAddUpToWhatTheSearchFound) {
  for (const auto& seeds : {std::vector<std::uint64_t>{1}, std::vector<std::uint64_t>{1, 2}}) {
    SCOPED_TRACE(std::to_string(seeds.size()) + " models");
    const auto found = details(load(seeds), {.confidence = true});
    for (const std::size_t i : {0, 2}) {
      ASSERT_THAT(found[i].candidates, SizeIs(2));
      for (const auto& candidate : found[i].candidates) {
        double sum = 0;
        for (const auto& token : candidate.tokens) sum += token.log_probability;
        EXPECT_NEAR(sum, candidate.hypothesis.log_probability, 1e-9);
        EXPECT_EQ(std::ssize(candidate.tokens), std::ssize(candidate.hypothesis.ids) + candidate.hypothesis.ended);
        std::vector<std::string> words;
        for (const auto& word : candidate.words) words.push_back(word.text);
        EXPECT_EQ(words, words_of(candidate.text));
      }
    }
  }
}

TEST_P(TranslationDetailsTest, AWordIsAsSureAsItsPiecesAndTheSpaceBeforeIt) {
  job_.config.tokenizer.byte_fallback = true;
  job_.config.tokenizer.vocabulary_size = 400;
  tokenizer_ =
      train_tokenizer(std::vector<std::filesystem::path>{job_.config.data.train_source}, job_.config.tokenizer);
  const auto models = load({1});
  const auto translator = models.translator();
  const auto said = models.first().target_tokenizer->encode("ab \U0001f6a3 b");
  ASSERT_THAT(said, SizeIs(10));  // a space and two letters, a space and four bytes, a space and a letter
  const std::vector<std::string> lines = {"a b"};
  const auto found = TranslationDetails(models.first(), translator, {.confidence = true}, 2)
                         .of(lines, {{.candidates = {{"ab \U0001f6a3 b", {.ids = said, .ended = true}}}}});
  const auto& candidate = found.at(0).candidates.at(0);
  const auto& tokens = candidate.tokens;
  const auto& words = candidate.words;
  ASSERT_THAT(tokens, SizeIs(11));
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

TEST_P(TranslationDetailsTest, WhereATokenizerRewritesItsTextNothingIsSaidOfWords) {
  const auto models = load({1});
  const auto translator = models.translator();
  auto aligner = models.first();
  aligner.target_tokenizer = std::make_shared<ShoutingTokenizer>(aligner.target_tokenizer);
  const std::vector<std::string> lines = {"a b"};
  const DetailsWanted wanted{.confidence = true, .alignment = true, .replace_unknown = true};
  const auto found = TranslationDetails(aligner, translator, wanted, 2)
                         .of(lines, {{.candidates = {{"\u2047!", {.ids = {kUnk}, .ended = true}}}}});
  const auto& candidate = found.at(0).candidates.at(0);
  EXPECT_EQ(candidate.text, "\u2047!");
  EXPECT_THAT(candidate.words, IsEmpty());
  EXPECT_THAT(candidate.alignment, IsEmpty());
  EXPECT_THAT(candidate.tokens, SizeIs(2));
  EXPECT_TRUE(candidate.flags.unknown);
}

TEST_P(TranslationDetailsTest, LinksAreOfWordsThatAreThere) {
  const auto models = load({1, 2});
  const auto found = details(models, {.alignment = true, .alignment_from = usual_attention_site(job_.config.model)});
  for (const std::size_t i : {0, 2})
    for (const auto& candidate : found[i].candidates)
      for (const auto& [source, target] : candidate.alignment) {
        EXPECT_LT(source, std::ssize(words_of(lines_[i])));
        EXPECT_LT(target, std::ssize(words_of(candidate.text)));
      }
}

TEST_P(TranslationDetailsTest, ALineWithNothingInItHasNothingToTell) {
  const auto found = details(load({1}), {.confidence = true, .alignment = true});
  ASSERT_THAT(found[1].candidates, SizeIs(1));
  const auto& candidate = found[1].candidates[0];
  EXPECT_EQ(candidate.text, "");
  EXPECT_THAT(candidate.tokens, IsEmpty());
  EXPECT_THAT(candidate.alignment, IsEmpty());
  EXPECT_THAT(candidate.flags.names(), IsEmpty());
}

TEST_P(TranslationDetailsTest, WhatTheTranslatorSaysOfALineStays) {
  const auto models = load({1});
  const auto translator = models.translator();
  auto translations = translator.translate(lines_, search());
  translations[0].leaves_out_phrases = translations[0].candidates[0].lacks_phrase = true;
  translations[2].truncated = true;
  for (const bool confidence : {false, true}) {
    const auto found =
        TranslationDetails(models.first(), translator, {.confidence = confidence}, 2).of(lines_, translations);
    EXPECT_TRUE(found[0].leaves_out_phrases && found[0].candidates[0].lacks_phrase && !found[0].truncated);
    EXPECT_TRUE(found[2].truncated && !found[2].leaves_out_phrases && !found[2].candidates[0].lacks_phrase);
    EXPECT_FALSE(found[1].truncated || found[1].leaves_out_phrases || found[1].candidates[0].lacks_phrase);
  }
}

INSTANTIATE_DEVICES(TranslationDetailsTest);

}  // namespace
}  // namespace gloss
