#include "translation/line_translator.h"

#include <algorithm>
#include <cmath>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/decoding/fake_scorer.h"
#include "tests/support/device_test.h"
#include "tests/support/temporary_folder.h"
#include "tests/translation/letters.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class LineTranslatorTest : public DeviceTest {
 protected:
  std::shared_ptr<FakeScorer> scorer_ = std::make_shared<FakeScorer>(copy_letters, kLetterVocabulary, device());
  std::shared_ptr<Letters> letters_ = std::make_shared<Letters>();
  DecodingConfig config_{.beam_size = 2, .batch_size = 2};

  GlossaryPhrases glossary_of(const std::string& entries) const {
    const TemporaryFolder folder;
    std::ofstream(folder / "glossary") << entries;
    return {TermList::read(folder / "glossary"), *letters_};
  }
  std::vector<LineTranslation> translate(const std::vector<std::string>& lines, std::int64_t max_length = 100) {
    return LineTranslator(scorer_, letters_, letters_, max_length).translate(lines, config_);
  }
  std::vector<std::string> texts(const std::vector<std::string>& lines) {
    std::vector<std::string> result;
    for (const auto& translation : translate(lines)) result.push_back(translation.candidates.at(0).text);
    return result;
  }
};

TEST_P(LineTranslatorTest, OneTranslationALineInOrder) {
  EXPECT_THAT(texts({"a", "bcdef", "gh", "i", "jkl"}), ElementsAre("a", "bcdef", "gh", "i", "jkl"));
  EXPECT_THAT(texts({}), IsEmpty());
}

TEST_P(LineTranslatorTest, LinesWithNothingInThemAreNotSearched) {
  EXPECT_THAT(texts({"", "ab", "  \t "}), ElementsAre("", "ab", ""));
  EXPECT_EQ(scorer_->steps().front().first, 1);
  const auto before = scorer_->steps().size();
  config_.n_best = 2;
  const auto empty = translate({" ", ""});
  EXPECT_EQ(scorer_->steps().size(), before);
  EXPECT_THAT(empty[0].candidates, SizeIs(1));
  EXPECT_THAT(empty[0].candidates[0].tokens, IsEmpty());
}

TEST_P(LineTranslatorTest, LinesOfWhiteSpaceOfAnyKindAreEmpty) {
  EXPECT_THAT(texts({"\u00a0", "\u3000\u2003 ", "\u00ad\u2060"}), ElementsAre("", "", ""));
  EXPECT_THAT(scorer_->steps(), IsEmpty());
}

TEST_P(LineTranslatorTest, LinesWithoutLettersAndDigitsAreCopied) {
  EXPECT_THAT(texts({"...", " ?", "\u2014\u2028\u2014", "\U0001f600"}),
              ElementsAre("...", " ?", "\u2014 \u2014", "\U0001f600"));
  EXPECT_THAT(scorer_->steps(), IsEmpty());
  const auto copied = translate({"?!"}).at(0).candidates.at(0);
  EXPECT_TRUE(copied.ended_or_empty());
  EXPECT_THAT(copied.tokens, IsEmpty());
  EXPECT_THAT(translate({"a?"}).at(0).candidates.at(0).tokens, testing::Not(IsEmpty())) << "a letter is translated";
  const std::vector<std::string> lines = {"?"}, prefixes = {"zz"};
  const auto begun =
      LineTranslator(scorer_, letters_, letters_, 100).translate({.lines = lines, .prefixes = prefixes}, config_);
  EXPECT_TRUE(begun.at(0).candidates.at(0).text.starts_with("zz"));
}

TEST_P(LineTranslatorTest, NoTextHasALineEndOfOtherPrograms) {
  /// Letters, of which y is written as a line separator.
  class Separators final : public Letters {
   public:
    std::string decode(std::span<const Id> ids) const override { return decode_with_spans(ids).text; }
    PieceSpans decode_with_spans(std::span<const Id> ids) const override {
      PieceSpans pieces{.text = {}, .ids = {ids.begin(), ids.end()}, .spans = {}};
      for (const auto id : ids) {
        const auto begin = pieces.text.size();
        const auto letter = Letters::decode(std::span(&id, 1));
        pieces.text += letter == "y" ? "\u2028" : letter == "x" ? "\u0085" : letter == "w" ? "\n" : letter;
        pieces.spans.push_back({begin, pieces.text.size()});
      }
      return pieces;
    }
  };
  const auto separators = std::make_shared<Separators>();
  const std::vector<std::string> lines = {"aybxcwd"};
  std::vector<std::string> streamed;
  const TranslationHooks hooks{.on_token = [&](const TranslationHooks::TokenEvent& event) {
    streamed.emplace_back(event.text);
    return true;
  }};
  config_ = {.beam_size = 1};
  const LineTranslator translator(scorer_, letters_, separators, 100);
  const auto found = translator.translate({.lines = lines}, config_, hooks).at(0).candidates.at(0);
  EXPECT_EQ(found.text, "a b c d");
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(found.tokens.at(i).span.begin, i);
  ASSERT_FALSE(streamed.empty());
  EXPECT_EQ(streamed.back(), found.text);
  for (const auto& text : streamed) EXPECT_TRUE(found.text.starts_with(text)) << text;
}

TEST_P(LineTranslatorTest, ALineThatIsAGlossaryPhraseIsItsTranslation) {
  const auto glossary = glossary_of("abc\tzyz|zz\n");
  const std::vector<std::string> lines = {"abc", " abc ", "abc d"};
  const auto found =
      LineTranslator(scorer_, letters_, letters_, 100).translate({.lines = lines, .glossary = &glossary}, config_);
  for (const auto i : {0, 1}) {
    EXPECT_EQ(found[i].candidates.at(0).text, "zyz");
    EXPECT_FALSE(found[i].candidates.at(0).lacks_phrase);
    EXPECT_THAT(found[i].candidates.at(0).tokens, IsEmpty());
  }
  EXPECT_THAT(found[2].candidates.at(0).text, testing::HasSubstr("zz"));
  EXPECT_THAT(found[2].candidates.at(0).tokens, testing::Not(IsEmpty()));
}

TEST_P(LineTranslatorTest, InvisibleCharactersAreNotRead) {
  EXPECT_THAT(texts({"a\u00adb\u2066c"}), ElementsAre("abc"));
  const std::vector<std::string> lines = {"a"}, prefixes = {"z\u2060z"};
  const LineTranslator translator(scorer_, letters_, letters_, 100);
  EXPECT_TRUE(translator.translate({.lines = lines, .prefixes = prefixes}, config_)
                  .at(0)
                  .candidates.at(0)
                  .text.starts_with("zz"));
}

TEST_P(LineTranslatorTest, AlignerIsCalledWhenThereIsSomethingToAlign) {
  const auto aligner = std::make_shared<FakeScorer>(copy_letters, kLetterVocabulary, device());  // without attention
  const LineTranslator translator(scorer_, letters_, letters_, 100, {aligner, {}});
  EXPECT_TRUE(translator.can_align());
  const std::vector<std::string> lines = {"ab", "c"};
  const auto translate = [&](const DetailOptions& details) {
    return translator.translate({.lines = lines, .details = details}, config_);
  };
  EXPECT_EQ(translate({.confidence = true})[0].candidates[0].text, "ab");
  EXPECT_EQ(translate({.replace_unknown = true})[0].candidates[0].text, "ab") << "no piece is unknown";
  EXPECT_THAT(aligner->steps(), IsEmpty());
  EXPECT_THROW(translate({.alignment = true}), UsageError);
  EXPECT_THAT(aligner->steps(), testing::Not(IsEmpty()));
}

TEST_P(LineTranslatorTest, MayBeCanceledBeforeAnyStep) {
  const LineTranslator translator(scorer_, letters_, letters_, 100);
  const std::vector<std::string> lines = {"abcdef"};
  for (const std::int64_t beam_size : {1, 2}) {
    config_.beam_size = beam_size;
    const auto before = scorer_->steps().size();
    const auto give_up = [&] {
      if (scorer_->steps().size() == before + 3) throw std::runtime_error("enough");
    };
    EXPECT_THROW(translator.translate(lines, config_, {.before_step = give_up}), std::runtime_error);
    EXPECT_EQ(scorer_->steps().size(), before + 3);
  }
}

TEST_P(LineTranslatorTest, SourceIsCutAtTheLimitAndSaysSo) {
  const auto result = translate({"abcdef", "ghi"}, 4);  // three pieces and eos
  EXPECT_EQ(result[0].candidates[0].text, "abc");
  EXPECT_TRUE(result[0].truncated);
  EXPECT_EQ(result[1].candidates[0].text, "ghi");
  EXPECT_FALSE(result[1].truncated);
}

TEST_P(LineTranslatorTest, SentencesOfLikeLengthAreSearchedTogetherLongestFirst) {
  config_.beam_size = 1;
  EXPECT_THAT(texts({"a", "bcd", "e", "fgh", "i"}), ElementsAre("a", "bcd", "e", "fgh", "i"));
  using Size = std::pair<std::int64_t, std::int64_t>;
  EXPECT_THAT(scorer_->steps(), ElementsAre(Size{2, 1}, Size{2, 1}, Size{2, 1}, Size{2, 1},  // "bcd", "fgh"
                                            Size{2, 1}, Size{2, 1},                          // "a", "e"
                                            Size{1, 1}, Size{1, 1}));                        // "i"
}

TEST_P(LineTranslatorTest, BrokenUtf8AndNulsAreReadAsReplacementCharacters) {
  using namespace std::string_literals;
  translate(
      {"a\xff"
       "b"s,
       "c\0d"s});
  EXPECT_THAT(letters_->seen(), ElementsAre("a\xEF\xBF\xBD"
                                            "b",
                                            "c\xEF\xBF\xBD"
                                            "d"));
}

TEST_P(LineTranslatorTest, NBestCandidatesWithTheirTexts) {
  config_.n_best = 2;
  config_.length_penalty = 0;
  const auto candidates = translate({"a"}).at(0).candidates;
  ASSERT_THAT(candidates, SizeIs(2));
  EXPECT_EQ(candidates[0].text, "a");
  EXPECT_NEAR(candidates[0].score, std::log(0.9 * 0.9), 1e-6);
  EXPECT_THAT(candidates[1].text, testing::AnyOf("z", "az"));
  EXPECT_GT(candidates[0].score, candidates[1].score);
}

TEST_P(LineTranslatorTest, NeighborsChangeNothing) {
  scorer_ = std::make_shared<FakeScorer>(random_rule(kLetterVocabulary), kLetterVocabulary, device(),
                                         FakeScorer::Options{.max_target_length = 7});
  config_ = {.beam_size = 3, .n_best = 3, .batch_size = 4};
  const std::vector<std::string> lines = {"abc", "", "d", "efghij", "klm", "n", "op", "qrst", "uv", "w"};
  const auto together = translate(lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto alone = translate({lines[i]}).at(0);
    ASSERT_EQ(together[i].candidates.size(), alone.candidates.size());
    for (std::size_t n = 0; n < alone.candidates.size(); ++n) {
      EXPECT_EQ(together[i].candidates[n].text, alone.candidates[n].text);
      EXPECT_NEAR(together[i].candidates[n].score, alone.candidates[n].score, 1e-6);
    }
  }
}

TEST_P(LineTranslatorTest, EachLineHasAPrefixOfItsOwn) {
  const std::vector<std::string> lines = {"abc", "", "de"}, prefixes = {"z", "z", ""};
  const auto result =
      LineTranslator(scorer_, letters_, letters_, 100).translate({.lines = lines, .prefixes = prefixes}, config_);
  EXPECT_EQ(result[0].candidates[0].text, "zbc");
  EXPECT_EQ(result[1].candidates[0].text, "");
  EXPECT_EQ(result[2].candidates[0].text, "de");
}

TEST_P(LineTranslatorTest, ALineContainsWhatItsGlossarySays) {
  const auto glossary = glossary_of("bc\tza\nxy\tzzzz\n");
  scorer_ = std::make_shared<FakeScorer>(random_rule(kLetterVocabulary), kLetterVocabulary, device());
  config_.max_length = 3;
  const std::vector<std::string> lines = {"a bc", "abc", "xy bc", ""};
  const auto result =
      LineTranslator(scorer_, letters_, letters_, 100).translate({.lines = lines, .glossary = &glossary}, config_);
  EXPECT_THAT(result[0].candidates[0].text, testing::HasSubstr("za"));
  EXPECT_FALSE(result[0].candidates[0].lacks_phrase || result[0].leaves_out_phrases);
  EXPECT_EQ(result[1].candidates[0].text, translate({"abc"}).at(0).candidates[0].text);
  EXPECT_FALSE(result[1].candidates[0].lacks_phrase || result[1].leaves_out_phrases);
  EXPECT_TRUE(result[2].candidates[0].lacks_phrase && result[2].leaves_out_phrases);
  EXPECT_FALSE(result[3].candidates[0].lacks_phrase || result[3].leaves_out_phrases);
}

TEST_P(LineTranslatorTest, OfALineThatIsCutThePhrasesCountThatAreRead) {
  const auto glossary = glossary_of("bc\tzu\nxy\tzv\nxy bcd\tzw\n");
  scorer_ = std::make_shared<FakeScorer>(random_rule(kLetterVocabulary), kLetterVocabulary, device());
  config_.max_length = 12;
  const LineTranslator translator(scorer_, letters_, letters_, 5);  // reads four pieces
  const auto wanted = [&](const std::string& line) {
    const auto found = translator.translate({.lines = {&line, 1}, .glossary = &glossary}, config_);
    EXPECT_FALSE(found[0].candidates[0].lacks_phrase);
    std::string phrases;
    for (const auto* phrase : {"zu", "zv", "zw"})
      if (found[0].candidates[0].text.find(phrase) != std::string::npos) phrases += phrase;
    return phrases;
  };
  EXPECT_EQ(wanted("  xy  bc k"), "zuzv");
  EXPECT_EQ(wanted("kk  xy bc"), "zv");  // of "bc" nothing is read
  EXPECT_EQ(wanted("kkk bc k xy"), "");  // half of it
  EXPECT_EQ(wanted("xy bcd"), "");       // the longest phrase is not read to its end
}

TEST_P(LineTranslatorTest, WhatIsDrawnForALineDependsOnItsNumberNotOnItsNeighbors) {
  scorer_ = std::make_shared<FakeScorer>(random_rule(kLetterVocabulary), kLetterVocabulary, device(),
                                         FakeScorer::Options{.max_target_length = 7});
  config_ = {.batch_size = 3, .sampling = {.enabled = true}};
  const std::vector<std::string> lines = {"abc", "", "d", "efghij", "klm", "n", "d", "abc"};
  const auto together = translate(lines);
  const LineTranslator translator(scorer_, letters_, letters_, 100);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto number = static_cast<std::int64_t>(i);
    const auto alone =
        translator.translate({.lines = std::span(lines).subspan(i, 1), .first_index = number}, config_).at(0);
    EXPECT_EQ(alone.candidates[0].text, together[i].candidates[0].text);
  }
  EXPECT_NE(together[0].candidates[0].text, together[7].candidates[0].text);
  EXPECT_NE(together[2].candidates[0].text, together[6].candidates[0].text);
}

TEST_P(LineTranslatorTest, RefusesABadConfiguration) {
  config_.n_best = 3;
  EXPECT_THROW(translate({""}), UsageError);
}

INSTANTIATE_DEVICES(LineTranslatorTest);

}  // namespace
}  // namespace gloss
