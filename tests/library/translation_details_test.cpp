#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gloss/translator.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/library/translator_test.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::ThrowsMessage;

/// The parts of a translation besides its text: spans, probabilities, words, alignment, flags, glossary.
class TranslationDetailsTest : public TranslatorTest {
 protected:
  void SetUp() override {
    TranslatorTest::SetUp();
    if (!IsSkipped())
      aligning_.emplace(kModel, TranslatorSettings{.device = device(), .threads = 1, .alignment = true});
  }
  static std::string part(const std::string& text, const Translation::Span& span) {
    return text.substr(span.begin, span.end - span.begin);
  }

  std::optional<Translator> aligning_;
};

TEST_P(TranslationDetailsTest, SpansOfPiecesJoinToTheirText) {
  const auto translations = translator().translate(kLines, {.beam_size = 3, .n_best = 2});
  ASSERT_THAT(translations, SizeIs(kLines.size()));
  for (const auto& translation : translations) {
    std::string source;
    for (const auto& span : translation.source_spans) source += part(translation.source, span);
    EXPECT_EQ(source, translation.source);
    EXPECT_THAT(translation.candidates, Not(IsEmpty()));
    for (const auto& candidate : translation.candidates) {
      ASSERT_EQ(candidate.spans.size(), candidate.pieces.size());
      std::string text;
      for (const auto& span : candidate.spans) text += part(candidate.text, span);
      EXPECT_EQ(text, candidate.text);
    }
  }
}

TEST_P(TranslationDetailsTest, TokensAddUpToTheLogProbability) {
  for (const bool confidence : {false, true}) {
    const auto translations = translator().translate(kLines, {.confidence = confidence});
    ASSERT_THAT(translations, SizeIs(kLines.size()));
    for (const auto& translation : translations) {
      EXPECT_THAT(translation.candidates, SizeIs(1));
      for (const auto& candidate : translation.candidates) {
        const auto& tokens = candidate.token_log_probabilities;
        ASSERT_EQ(tokens.size(), candidate.pieces.size() + (candidate.ended ? 1 : 0));
        double sum = 0;
        for (const auto log_probability : tokens) sum += log_probability;
        EXPECT_NEAR(sum, candidate.log_probability, 1e-6);
      }
    }
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
  ASSERT_THAT(best.alignment, Not(IsEmpty()));
  for (const auto& [source, target] : best.alignment) {
    EXPECT_LT(source, words(kLines[0]));
    EXPECT_LT(target, words(best.text));
  }
  ASSERT_THAT(best.piece_alignment, Not(IsEmpty()));
  const auto source_words = aligning_->translate_line(kLines[0], {.min_length = 8}).source_spans;
  const auto word_of = [](const std::string& text, const Translation::Span& span) {  // of the piece's last letter
    return static_cast<std::size_t>(
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(span.end), ' '));
  };
  for (const auto& [source, target] : best.piece_alignment) {
    const auto is_of_pieces = [&](const Translation::Link& link) {
      return link.source == word_of(kLines[0], source_words.at(source)) &&
             link.target == word_of(best.text, best.spans.at(target));
    };
    EXPECT_TRUE(std::ranges::any_of(best.alignment, is_of_pieces)) << source << '-' << target;
  }
  const auto of_head = aligning_->translate(kLines, {.alignment = true, .alignment_from = "decoder.0.cross.0"});
  EXPECT_EQ(texts(of_head), texts(aligning_->translate(kLines)));
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
  ASSERT_THAT(found, SizeIs(kLines.size()));
  for (const auto& translation : found) EXPECT_FALSE(translation.candidates.at(0).lacks_phrase);
  EXPECT_EQ(found[3].text(), translator().translate_line(kLines[3]).text());
  EXPECT_TRUE(
      translator().translate_line(kLines[0], {.max_length = 2, .glossary = glossary}).candidates.at(0).lacks_phrase);
}

TEST_P(TranslationDetailsTest, APreparedGlossaryDoesTheSame) {
  const std::vector<GlossaryEntry> entries = {{"baka", "nipa ratu"}, {"yoze", "lemu"}};
  const auto wanted = translator().translate(kLines, {.glossary = entries});
  const auto prepared = translator().prepare(entries);
  for (int call = 0; call < 2; ++call) {
    const auto found = translator().translate(kLines, {.prepared_glossary = prepared});
    for (std::size_t i = 0; i < kLines.size(); ++i) EXPECT_TRUE(equal(found[i], wanted[i]));
  }
  EXPECT_THAT([&] { translator().translate(kLines, {.glossary = entries, .prepared_glossary = prepared}); },
              ThrowsMessage<TranslatorUsageError>(HasSubstr("glossary: wanted none beside prepared_glossary")));
  EXPECT_THAT([&] { translator().translate(kLines, {.sample = true, .prepared_glossary = prepared}); },
              ThrowsMessage<TranslatorUsageError>(HasSubstr("glossary: wanted a search")));
  EXPECT_THAT([&] { translator().prepare({{{"a", ""}}}); }, testing::Throws<TranslatorUsageError>());
}

TEST_P(TranslationDetailsTest, EachLineHasOptionsOfItsOwn) {
  const std::vector<GlossaryEntry> entries = {{"baka", "nipa ratu"}};
  std::vector<TranslationOptions> options(kLines.size());
  options[0].glossary = entries;
  options[1].beam_size = 1;
  options[1].max_length = 2;
  options[3].prefixes = {"lemu"};
  options[4].deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  const auto found = translator().translate_each(kLines, options);
  ASSERT_THAT(found, SizeIs(kLines.size()));
  for (const std::size_t i : {0, 1, 2, 3})
    EXPECT_TRUE(equal(found[i], translator().translate_line(kLines[i], options[i])));
  EXPECT_THAT(found[0].text(), HasSubstr("nipa ratu"));
  EXPECT_LE(found[1].candidates.at(0).pieces.size(), 2u);
  EXPECT_TRUE(found[3].text().starts_with("lemu"));
  EXPECT_EQ(found[4].status, Translation::Status::kDeadline);
  options[2].beam_size = -3;
  EXPECT_THAT([&] { translator().translate_each(kLines, options); },
              ThrowsMessage<TranslatorUsageError>(testing::StartsWith("line 2: beam_size: wanted")));
  options.pop_back();
  EXPECT_THAT([&] { translator().translate_each(kLines, options); },
              ThrowsMessage<TranslatorUsageError>(HasSubstr("options: wanted one for each of 5 lines, got 4")));
}

TEST_P(TranslationDetailsTest, ResultsComeAsTheyAreComplete) {
  const auto wanted = translator().translate(kLines);
  std::vector<int> times(kLines.size());
  const auto caller = std::this_thread::get_id();
  TranslationOptions options;
  options.on_result = [&](std::size_t line, const Translation& translation) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_TRUE(equal(translation, wanted.at(line)));
    EXPECT_TRUE(equal(translator().translate_line(kLines[line]), wanted[line])) << "a callback may translate";
    ++times.at(line);
    return true;
  };
  const auto found = translator().translate(kLines, options);
  EXPECT_THAT(times, testing::Each(1));
  EXPECT_EQ(texts(found), texts(wanted));
  options.on_result = [](std::size_t, const Translation&) -> bool { throw std::out_of_range("mine"); };
  EXPECT_THROW(translator().translate(kLines, options), std::out_of_range);
  options.on_result = [](std::size_t, const Translation&) { return false; };
  options.batch_size = 1;
  EXPECT_EQ(translator().translate(kLines, options).at(1).status, Translation::Status::kCancelled);
}

TEST_P(TranslationDetailsTest, AGlossaryIsOfTheTranslatorThatPreparedIt) {
  const Translator other(kModel, {.device = device(), .threads = 1});
  const std::vector<GlossaryEntry> entries = {{"baka", "nipa ratu"}};
  const Translator copy = translator();
  EXPECT_TRUE(equal(copy.translate_line(kLines[0], {.prepared_glossary = translator().prepare(entries)}),
                    translator().translate_line(kLines[0], {.glossary = entries})));
  EXPECT_THAT([&] { translator().translate(kLines, {.prepared_glossary = other.prepare(entries)}); },
              ThrowsMessage<TranslatorUsageError>(HasSubstr("prepared_glossary: wanted one that this Translator")));
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
}

INSTANTIATE_TEST_SUITE_P(Devices, TranslationDetailsTest, testing::Values("cpu", "gpu"),
                         [](const auto& device) { return device.param; });

}  // namespace
}  // namespace gloss
