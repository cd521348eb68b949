#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <gloss/translator.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/library/translator_test.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::ThrowsMessage;

/// The parts of a translation besides its text: spans, probabilities, words, alignment, flags, glossary.
class TranslationDetailsTest : public TranslatorTest {
 protected:
  void SetUp() override {
    TranslatorTest::SetUp();
    if (!IsSkipped())
      aligning_.emplace(kModel, TranslatorSettings{.device = GetParam(), .threads = 1, .alignment = true});
  }
  static std::string part(const std::string& text, const Translation::Span& span) {
    return text.substr(span.begin, span.end - span.begin);
  }

  std::optional<Translator> aligning_;
};

TEST_P(TranslationDetailsTest, SpansOfPiecesJoinToTheirText) {
  for (const auto& translation : translator().translate(kLines, {.beam_size = 3, .n_best = 2})) {
    std::string source;
    for (const auto& span : translation.source_spans) source += part(translation.source, span);
    EXPECT_EQ(source, translation.source);
    for (const auto& candidate : translation.candidates) {
      ASSERT_EQ(candidate.spans.size(), candidate.pieces.size());
      std::string text;
      for (const auto& span : candidate.spans) text += part(candidate.text, span);
      EXPECT_EQ(text, candidate.text);
    }
  }
}

TEST_P(TranslationDetailsTest, TokensAddUpToTheLogProbability) {
  for (const bool confidence : {false, true})
    for (const auto& translation : translator().translate(kLines, {.confidence = confidence}))
      for (const auto& candidate : translation.candidates) {
        const auto& tokens = candidate.token_log_probabilities;
        ASSERT_EQ(tokens.size(), candidate.pieces.size() + (candidate.ended ? 1 : 0));
        double sum = 0;
        for (const auto log_probability : tokens) sum += log_probability;
        EXPECT_NEAR(sum, candidate.log_probability, 1e-6);
      }
}

TEST_P(TranslationDetailsTest, ConfidenceIsTheModelsOwnDespiteAPenalty) {
  const auto all = [&](bool confidence) {
    const TranslationOptions options{
        .beam_size = 1, .min_length = 6, .repetition_penalty = 5, .confidence = confidence};
    return translator().translate_line(kLines[0], options).candidates.at(0);
  };
  const auto penalized = all(false), own = all(true);
  EXPECT_EQ(penalized.pieces, own.pieces);
  EXPECT_NE(penalized.token_log_probabilities, own.token_log_probabilities);
  EXPECT_THAT(penalized.words, IsEmpty());
}

TEST_P(TranslationDetailsTest, WordsHaveAConfidenceAndLimitsRaiseAFlag) {
  const auto best =
      translator().translate_line(kLines[0], {.max_length = 4, .min_length = 4, .confidence = true}).candidates.at(0);
  ASSERT_FALSE(best.words.empty());
  std::string joined;
  for (const auto& [text, confidence] : best.words) {
    joined += (joined.empty() ? "" : " ") + text;
    EXPECT_GT(confidence, 0);
    EXPECT_LE(confidence, 1);
  }
  EXPECT_EQ(joined, best.text);
  EXPECT_THAT(best.flags, testing::Contains("cut"));
}

TEST_P(TranslationDetailsTest, AlignmentLinksWordsAndNeedsItsSetting) {
  const auto best = aligning_->translate_line(kLines[0], {.min_length = 8, .alignment = true}).candidates.at(0);
  const auto words = [](const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), ' ')) + 1;
  };
  for (const auto& [source, target] : best.alignment) {
    EXPECT_LT(source, words(kLines[0]));
    EXPECT_LT(target, words(best.text));
  }
  EXPECT_NO_THROW(aligning_->translate(kLines, {.alignment = true, .alignment_from = "decoder.0.cross.0"}));
  const auto refused = [&](const Translator& by, const TranslationOptions& options, const std::string& message) {
    EXPECT_THAT([&] { by.translate(kLines, options); }, ThrowsMessage<TranslatorUsageError>(HasSubstr(message)));
  };
  refused(translator(), {.alignment = true}, "alignment: wanted a Translator that can align");
  refused(translator(), {.replace_unknown = true}, "replace_unknown: wanted a Translator that can align");
  refused(*aligning_, {.alignment = true, .alignment_from = "decoder.99.cross"}, "alignment_from: wanted decoder");
  refused(*aligning_, {.alignment_from = "decoder.0.cross"}, "alignment_from: has an effect");
}

TEST_P(TranslationDetailsTest, UnknownCharactersOfAPrefixStayAsTheyAreGiven) {
  const TranslationOptions options{.beam_size = 1, .max_length = 2, .min_length = 2, .prefixes = {"\u2603"}};
  auto replacing = options;
  replacing.replace_unknown = true;
  const auto before = aligning_->translate_line("ana \u2603", options).candidates.at(0);
  const auto after = aligning_->translate_line("ana \u2603", replacing).candidates.at(0);
  EXPECT_THAT(before.text, HasSubstr("\u2603"));
  EXPECT_EQ(after.text, before.text);
  EXPECT_EQ(after.score, before.score);
}

TEST_P(TranslationDetailsTest, GlossariesPutTheirPhrasesIntoTranslations) {
  const std::vector<GlossaryEntry> glossary = {{"baka", "nipa ratu"}, {"yoze", "lemu"}};
  const auto found = translator().translate(kLines, {.glossary = glossary});
  EXPECT_THAT(found[0].text(), HasSubstr("nipa ratu"));
  EXPECT_THAT(found[1].text(), HasSubstr("lemu"));
  for (const auto& translation : found) EXPECT_FALSE(translation.candidates.at(0).lacks_phrase);
  EXPECT_EQ(found[3].text(), translator().translate_line(kLines[3]).text());
  EXPECT_TRUE(
      translator().translate_line(kLines[0], {.max_length = 2, .glossary = glossary}).candidates.at(0).lacks_phrase);
}

TEST_P(TranslationDetailsTest, InvalidGlossariesAreRefused) {
  const auto refused = [&](const TranslationOptions& options, const std::string& message) {
    EXPECT_THAT([&] { translator().translate(kLines, options); },
                ThrowsMessage<TranslatorUsageError>(HasSubstr(message)));
  };
  refused({.glossary = {{"a", ""}}}, "glossary: entry 1: wanted a source phrase and a target phrase");
  refused({.glossary = {{"a", "b"}, {"a", "c"}}}, "glossary: entry 2: wanted one translation");
  refused({.glossary = {{"a", "\u2603"}}}, "glossary: entry 1: wanted a phrase that this model can");
  refused({.sample = true, .glossary = {{"a", "b"}}}, "glossary: wanted a search");
  refused({.beam_size = 1, .on_token = [](const StreamedToken&) { return true; }, .glossary = {{"a", "b"}}},
          "on_token: wanted a greedy search without glossary");
}

INSTANTIATE_TEST_SUITE_P(Devices, TranslationDetailsTest, testing::Values("cpu", "cuda"),
                         [](const auto& device) { return device.param; });

}  // namespace
}  // namespace gloss
