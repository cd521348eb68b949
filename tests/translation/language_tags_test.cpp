// Translations with language tags in front of the source and the target.
#include "tokenizer/language_tags.h"

#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/decoding/fake_scorer.h"
#include "tests/translation/letters.h"
#include "translation/line_translator.h"

namespace gloss {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Id kSourceTag = 27, kTargetTag = 28;  // "x", "y"

/// Copies the letters after the tag of the source. The tag of the target has a small probability.
std::vector<float> copy_after_tags(const Ids& source, const Ids& generated) {
  EXPECT_EQ(source.front(), kSourceTag);
  if (generated.empty()) return log_of({{source[1], 0.9}, {kTargetTag, 0.1}}, kLetterVocabulary);
  EXPECT_EQ(generated.front(), kTargetTag);
  const auto place = std::min(generated.size(), source.size() - 1);
  return log_of({{source[place], 0.9}, {29, 0.1}}, kLetterVocabulary);
}

class LanguageTagsTest : public testing::Test {
 protected:
  LineTranslator translator(std::int64_t max_length = 100) const {
    const auto letters = std::make_shared<Letters>();
    return LineTranslator(std::make_shared<FakeScorer>(copy_after_tags, kLetterVocabulary, at::kCPU), letters, letters,
                          max_length)
        .with_tokenizers(std::make_shared<TaggedTokenizer>(letters, kSourceTag),
                         std::make_shared<TaggedTokenizer>(letters, kTargetTag));
  }

  DecodingConfig config_{.beam_size = 2, .length_penalty = 0, .n_best = 2};
};

TEST_F(LanguageTagsTest, ResultsLackTheTagOfTheTarget) {
  for (const std::int64_t beam_size : {1, 2}) {
    config_.beam_size = config_.n_best = beam_size;
    const std::vector<std::string> lines = {"abc", "", "d"};
    const auto results = translator().translate({.lines = lines, .details = {.confidence = true}}, config_);
    const auto& best = results.at(0).candidates.at(0);
    EXPECT_EQ(best.text, "abc");
    EXPECT_NEAR(best.log_probability, 4 * std::log(0.9), 1e-5) << "the tag is given";
    ASSERT_EQ(best.tokens.size(), 4u);
    double sum = 0;
    for (const auto& token : best.tokens) sum += token.log_probability;
    EXPECT_NEAR(sum, best.log_probability, 1e-6);
    EXPECT_EQ(best.tokens[0].piece, "a");
    EXPECT_EQ(best.tokens[0].span.begin, 0u);
    EXPECT_EQ(best.tokens[0].span.end, 1u);
    ASSERT_EQ(best.words.size(), 1u);
    EXPECT_EQ(best.words[0].text, "abc");
    EXPECT_NEAR(best.words[0].confidence, std::pow(0.9, 3), 1e-5);
    EXPECT_TRUE(results[1].candidates.at(0).tokens.empty());
    EXPECT_EQ(results[2].candidates.at(0).text, "d");
  }
}

TEST_F(LanguageTagsTest, RepetitionPenaltyKeepsTheTokensInTheirPlaces) {
  config_.repetition_penalty = 1.0001;
  const std::vector<std::string> lines = {"abc"};
  const auto best = translator().translate({.lines = lines, .details = {.confidence = true}}, config_)[0].candidates[0];
  ASSERT_EQ(best.tokens.size(), 4u);
  for (const auto& token : best.tokens) EXPECT_NEAR(token.log_probability, std::log(0.9), 1e-3);
}

TEST_F(LanguageTagsTest, LengthPenaltyAndLimitsCountTheTag) {
  config_.length_penalty = 1;
  config_.n_best = 1;
  const std::vector<std::string> lines = {"abc"};
  EXPECT_NEAR(translator().translate(lines, config_)[0].candidates[0].score, 4 * std::log(0.9) / 5, 1e-5);
  config_.max_length = 3;
  const auto cut = translator().translate(lines, config_)[0].candidates[0];
  EXPECT_EQ(cut.text, "ab");
  EXPECT_FALSE(cut.ended);
  config_.max_length = 1;
  EXPECT_EQ(translator().translate(lines, config_)[0].candidates[0].text, "");
}

TEST_F(LanguageTagsTest, SourceKeepsItsTagWhenItIsCut) {
  const auto result = translator(3).translate(std::vector<std::string>{"abc"}, config_)[0];
  EXPECT_EQ(result.candidates.at(0).text, "a");
  EXPECT_TRUE(result.truncated);
  EXPECT_EQ(result.source.text, "a");
  EXPECT_EQ(result.source.tags, 1u);
  EXPECT_THAT(result.source.ids, ElementsAre(kSourceTag, 4));
}

TEST_F(LanguageTagsTest, PrefixesFollowTheTag) {
  const std::vector<std::string> lines = {"abc", "de"}, prefixes = {"z", ""};
  const auto results = translator().translate({.lines = lines, .prefixes = prefixes}, config_);
  EXPECT_EQ(results[0].candidates[0].text, "zbc");
  EXPECT_EQ(results[1].candidates[0].text, "de");
}

TEST_F(LanguageTagsTest, StreamLacksTheTag) {
  config_.beam_size = config_.n_best = 1;
  std::vector<std::string> pieces, texts;
  double sum = 0;
  const TranslationHooks hooks{.on_token = [&](const TranslationHooks::TokenEvent& event) {
    pieces.push_back(event.piece);
    texts.push_back(event.text);
    sum += event.log_probability;
    return true;
  }};
  translator().translate(std::vector<std::string>{"ab"}, config_, hooks);
  EXPECT_THAT(pieces, ElementsAre("a", "b", ""));
  EXPECT_THAT(texts, ElementsAre("a", "ab", "ab"));
  EXPECT_NEAR(sum, 3 * std::log(0.9), 1e-5);
}

TEST_F(LanguageTagsTest, SamplesLackTheTag) {
  config_.sampling.enabled = true;
  config_.n_best = 5;
  const auto result = translator().translate(std::vector<std::string>{"ab"}, config_)[0];
  ASSERT_EQ(result.candidates.size(), 5u);
  for (const auto& candidate : result.candidates) EXPECT_EQ(candidate.text.find('y'), std::string::npos);
}

TEST_F(LanguageTagsTest, PhrasesLackTheTag) {
  const std::vector<std::pair<std::string, std::string>> entries = {{"b", "zz"}};
  const GlossaryPhrases glossary(TermList::from_entries(entries), translator().target_tokenizer());
  const std::vector<std::string> lines = {"a b c"};
  const auto result = translator().translate({.lines = lines, .glossary = &glossary}, config_)[0];
  EXPECT_NE(result.candidates.at(0).text.find("zz"), std::string::npos) << result.candidates[0].text;
  EXPECT_FALSE(result.candidates[0].lacks_phrase);
}

TEST_F(LanguageTagsTest, TargetsOfATextAreTheirTagAndPieces) {
  EXPECT_THAT(translator().encode_target("ab"), ElementsAre(kTargetTag, 4, 5));
  EXPECT_THAT(translator().encode_target(""), ElementsAre(kTargetTag));
  EXPECT_EQ(translator().target_tags(), 1u);
  const auto inputs = translator().search_inputs();
  EXPECT_THAT(inputs.prefixes, ElementsAre(Ids{kTargetTag}));
  EXPECT_EQ(inputs.given_tokens, 1);
  const auto letters = std::make_shared<Letters>();
  const auto plain = translator().with_tokenizers(letters, letters);
  EXPECT_THAT(plain.encode_target(""), IsEmpty());
  EXPECT_THAT(plain.search_inputs().prefixes, IsEmpty());
}

}  // namespace
}  // namespace gloss
