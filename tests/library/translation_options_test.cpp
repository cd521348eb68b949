#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <gloss/translator.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/library/edited_model.h"
#include "tests/library/translator_test.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::ThrowsMessage;

/// Options of a call that replace the model's own settings, and several models in place of one.
class TranslationOptionsTest : public TranslatorTest {};

TEST_P(TranslationOptionsTest, InvalidOptionsAreNamedAsInTheInterface) {
  const auto refused = [&](const TranslationOptions& options, const std::string& name) {
    EXPECT_THAT([&] { translator().translate(kLines, options); },
                ThrowsMessage<TranslatorUsageError>(
                    AllOf(HasSubstr(name), Not(HasSubstr("decoding.")), Not(HasSubstr("sampling.")))));
  };
  refused({.beam_size = 0}, "beam_size");
  refused({.beam_size = 2, .n_best = 3}, "n_best");
  refused({.coverage_penalty = -1}, "coverage_penalty: wanted");
  refused({.no_repeat_ngram = -1}, "no_repeat_ngram: wanted");
  refused({.repetition_penalty = 0}, "repetition_penalty: wanted");
  refused({.sample = true, .temperature = 0}, "temperature: wanted");
  refused({.sample = true, .top_k = -1}, "top_k: wanted");
  refused({.sample = true, .top_p = 1.5}, "top_p: wanted");
  refused({.sample = true, .seed = -1}, "seed: wanted");
  refused({.first_line = -1}, "first_line: wanted");
  refused({.prefixes = {"ana"}}, "prefixes: wanted one for each of 5 lines, got 1");
  for (const auto& options : {TranslationOptions{.temperature = 1}, {.top_k = 1}, {.top_p = 1}, {.seed = 1}})
    refused(options, "has an effect together with sampling only");
  for (const auto& options : {TranslationOptions{.beam_size = 1, .sample = true},
                              {.patience = 1, .sample = true},
                              {.coverage_penalty = 1, .sample = true}})
    refused(options, "has no effect if translations are drawn");
  EXPECT_THAT(translator().translate({}, {}), IsEmpty());
}

TEST_P(TranslationOptionsTest, TranslationsObeyTheirConstraints) {
  const auto pieces = [&](TranslationOptions options) {
    options.beam_size = 1;
    options.min_length = options.max_length = 12;
    return translator().translate_line(kLines[0], options).candidates[0].pieces;
  };
  auto once = pieces({.no_repeat_ngram = 1});
  const auto usual = pieces({}), punished = pieces({.repetition_penalty = 9});
  EXPECT_NE(once, usual);
  EXPECT_NE(punished, usual);
  std::ranges::sort(once);
  EXPECT_EQ(std::ranges::adjacent_find(once), once.end());
  EXPECT_EQ(pieces({.no_repeat_ngram = 0, .repetition_penalty = 1, .no_unk = false}), usual);
  const auto unknown = [&](bool no_unk) {
    std::int64_t count = 0;
    const TranslationOptions drawing{.n_best = 100, .no_unk = no_unk, .sample = true};
    for (const auto& drawn : translator().translate_line(kLines[0], drawing).candidates)
      count += std::ranges::count(drawn.pieces, "<unk>");
    return count;
  };
  EXPECT_GT(unknown(false), 0);
  EXPECT_EQ(unknown(true), 0);
}

TEST_P(TranslationOptionsTest, ACoveragePenaltyLowersScoresAndNoProbability) {
  const auto plain = translator().translate_line(kLines[0], {.beam_size = 1}).candidates[0];
  const auto covered = translator().translate_line(kLines[0], {.beam_size = 1, .coverage_penalty = 2}).candidates[0];
  EXPECT_EQ(covered.pieces, plain.pieces);
  EXPECT_LT(covered.score, plain.score);
  EXPECT_NEAR(covered.log_probability, plain.log_probability, 1e-5);
}

TEST_P(TranslationOptionsTest, DrawsAreOfTheSeedAndTheLinesNumber) {
  const TranslationOptions drawing{.n_best = 6, .sample = true};
  const auto drawn = translator().translate(kLines, drawing);
  ASSERT_THAT(drawn[0].candidates, SizeIs(6));
  const auto same_as = [&](const TranslationOptions& options) {
    const auto other = translator().translate(kLines, options);
    return std::ranges::equal(other, drawn, equal);
  };
  auto options = drawing;
  options.batch_size = 1;
  EXPECT_TRUE(same_as(options));
  options.seed = 1;  // the model's
  EXPECT_TRUE(same_as(options));
  options.seed = 2;
  EXPECT_FALSE(same_as(options));
  const std::span tail(kLines.data() + 3, 2);
  options = drawing;
  EXPECT_FALSE(equal(translator().translate(tail, options)[0], drawn[3]));
  options.first_line = 3;
  EXPECT_TRUE(equal(translator().translate(tail, options)[0], drawn[3]));
  EXPECT_TRUE(equal(translator().translate(tail, options)[1], drawn[4]));
}

TEST_P(TranslationOptionsTest, IfOneTokenIsLeftTheDrawIsTheLikeliest) {
  const auto greedy = texts(translator().translate(kLines, greedy_));
  EXPECT_NE(texts(translator().translate(kLines, {.sample = true})), greedy);
  EXPECT_EQ(texts(translator().translate(kLines, {.sample = true, .top_k = 1})), greedy);
  EXPECT_EQ(texts(translator().translate(kLines, {.sample = true, .top_p = 1e-9})), greedy);
  EXPECT_EQ(texts(translator().translate(kLines, {.sample = true, .temperature = 1e-9})), greedy);
}

TEST_P(TranslationOptionsTest, ATranslationBeginsWithItsPrefix) {
  const std::vector<std::string> prefixes = {"", "joka lemu", "ana", "yoze", "baka"};
  for (const std::int64_t beam_size : {1, 3}) {
    const auto plain = translator().translate(kLines, {.beam_size = beam_size});
    const auto found = translator().translate(kLines, {.beam_size = beam_size, .batch_size = 1, .prefixes = prefixes});
    EXPECT_TRUE(equal(found[0], plain[0]));
    EXPECT_TRUE(equal(found[2], plain[2]));  // an empty line stays empty
    for (const auto i : {1, 3, 4}) EXPECT_TRUE(found[i].text().starts_with(prefixes[i])) << found[i].text();
    EXPECT_TRUE(
        equal(translator().translate_line(kLines[3], {.beam_size = beam_size, .prefixes = {"yoze"}}), found[3]));
  }
}

TEST_P(TranslationOptionsTest, EverySearchStreamsItsBestTranslation) {
  for (auto options : {TranslationOptions{.beam_size = 4},
                       {.beam_size = 4, .n_best = 3},
                       {.beam_size = 1, .coverage_penalty = 0.5},
                       {.n_best = 3, .sample = true},
                       {.glossary = {{"baka", "nipa ratu"}, {"yoze", "lemu"}}}}) {
    const auto wanted = translator().translate(kLines, options);
    std::vector<std::vector<std::string>> pieces(kLines.size());
    std::vector<std::vector<double>> log_probabilities(kLines.size());
    std::vector<std::string> texts(kLines.size());
    options.on_token = [&](const StreamedToken& token) {
      EXPECT_TRUE(token.text.starts_with(texts[token.line])) << texts[token.line] << "\n" << token.text;
      texts[token.line] = token.text;
      if (!token.end) pieces[token.line].push_back(token.piece);
      log_probabilities[token.line].push_back(token.log_probability);
      return true;
    };
    const auto found = translator().translate(kLines, options);
    for (std::size_t i = 0; i < kLines.size(); ++i) {
      EXPECT_TRUE(equal(found[i], wanted[i])) << "streaming changes no result";
      EXPECT_EQ(texts[i], wanted[i].text());
      const auto& best = wanted[i].candidates.at(0);
      EXPECT_EQ(pieces[i], best.pieces);
      log_probabilities[i].resize(best.token_log_probabilities.size());  // without that of the end if it has none
      EXPECT_EQ(log_probabilities[i], best.token_log_probabilities);
    }
  }
}

TEST_P(TranslationOptionsTest, SearchSettingsOfTheModelFileCountUnlessTheCallSetsOthers) {
  const TemporaryFolder folder;
  const auto edited = [&](const std::string& setting) {
    write_edited_model(kModel, R"(\"patience\": 1.0)", R"(\"patience\": 1.0, )" + setting, folder / "edited");
    return Translator(folder / "edited", {.device = device(), .threads = 1});
  };
  greedy_.sample = false;
  greedy_.coverage_penalty = 0;
  for (const auto& model : {edited(R"(\"sampling\": {\"enabled\": true})"), edited(R"(\"coverage_penalty\": 0.5)")}) {
    EXPECT_FALSE(std::ranges::equal(model.translate(kLines), translator().translate(kLines), equal));
    EXPECT_TRUE(std::ranges::equal(model.translate(kLines, greedy_), translator().translate(kLines, greedy_), equal));
  }
}

// A model with equal weights and another activation is another model.
TEST_P(TranslationOptionsTest, SeveralModelsTranslateByTheMeanOfTheirProbabilities) {
  const TemporaryFolder folder;
  write_edited_model(kModel, R"(\"gelu\")", R"(\"relu\")", folder / "relu");
  const TranslatorSettings settings{.device = device(), .threads = 1};
  const auto ensemble = [&](const std::vector<std::filesystem::path>& files) { return Translator(files, settings); };
  const auto other = ensemble({folder / "relu"}), both = ensemble({kModel, folder / "relu"}),
             twice = ensemble({kModel, kModel});
  const auto first_token = [&](const Translator& model) {
    double log_probability = 0;
    model.translate_line(kLines[0], {.beam_size = 1, .prefixes = {"joka"}, .on_token = [&](const StreamedToken& token) {
                                       log_probability = token.log_probability;
                                       return false;
                                     }});
    return std::exp(log_probability);
  };
  const auto one = first_token(translator()), two = first_token(other);
  EXPECT_GT(std::abs(one - two), 1e-5);
  EXPECT_NEAR(first_token(both), (one + two) / 2, 1e-7);
  const auto alone = translator().translate(kLines), same = twice.translate(kLines);
  for (std::size_t i = 0; i < kLines.size(); ++i) {
    EXPECT_EQ(same[i].text(), alone[i].text());
    EXPECT_NEAR(same[i].candidates[0].score, alone[i].candidates[0].score, 1e-5);
  }
  const auto together = both.translate(kLines);
  for (std::size_t i = 0; i < kLines.size(); ++i) EXPECT_TRUE(equal(both.translate_line(kLines[i]), together[i]));
  EXPECT_THAT([&] { ensemble({}); }, ThrowsMessage<TranslatorUsageError>(HasSubstr("at least one model file")));
  EXPECT_THROW(ensemble({kModel, folder / "missing"}), TranslatorUsageError);
  EXPECT_EQ(first_token(Translator({kModel, folder / "relu"}, settings)), first_token(both));
  EXPECT_THAT([&] { Translator({"one", "two"}, settings); }, ThrowsMessage<TranslatorUsageError>(HasSubstr("one")));
}

TEST_P(TranslationOptionsTest, LanguagesAreForModelsOfSeveral) {
  EXPECT_THAT(translator().languages(), testing::IsEmpty());
  EXPECT_THAT([&] { translator().translate(kLines, {.target_language = "xx"}); },
              testing::ThrowsMessage<TranslatorUsageError>(testing::HasSubstr("target_language: has no effect")));
}

INSTANTIATE_TEST_SUITE_P(Devices, TranslationOptionsTest, testing::Values("cpu", "gpu"),
                         [](const auto& device) { return device.param; });

}  // namespace
}  // namespace gloss
