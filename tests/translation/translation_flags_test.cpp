#include "translation/translation_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TranslationFlags of_texts(std::string_view source, std::string_view target) {
  return flags_of({.source = source, .target = target});
}

bool repeats(std::string_view target) { return of_texts("ein Satz", target).repetition; }
bool copied(std::string_view source, std::string_view target) { return of_texts(source, target).copied_source; }

TEST(TranslationFlagsTest, WordsAreComparedWithoutPunctuation) {
  EXPECT_THAT(comparable_words(" \"Don't\" say 3.50, - (ever)!\t« Ça » …"),
              ElementsAre("Don't", "say", "3.50", "ever", "Ça"));
  EXPECT_THAT(comparable_words("我们 go。"), ElementsAre("我", "们", "go"));
  EXPECT_THAT(comparable_words(" . , ! "), IsEmpty());
  EXPECT_THAT(comparable_words(""), IsEmpty());
}

TEST(TranslationFlagsTest, AnNgramThreeTimesOnEndIsARepetition) {
  EXPECT_FALSE(repeats("der sehr sehr große Hund"));
  EXPECT_TRUE(repeats("der sehr sehr sehr große Hund"));
  EXPECT_TRUE(repeats("der Hund, Hund, Hund."));
  EXPECT_FALSE(repeats("a b a b a"));
  EXPECT_TRUE(repeats("a b a b a b"));
  EXPECT_FALSE(repeats("x a b c a b c a b y"));
  EXPECT_TRUE(repeats("x a b c a b c a b c y"));
  EXPECT_FALSE(repeats("a b c d a b c d a b c"));
  EXPECT_TRUE(repeats("a b c d a b c d a b c d"));
  EXPECT_FALSE(repeats("a b c d e a b c d e"));  // of five words, twice
  EXPECT_FALSE(repeats(". . . . . ."));
  EXPECT_FALSE(repeats(""));
}

TEST(TranslationFlagsTest, FourWordsThreeTimesAnywhereAreARepetition) {
  EXPECT_FALSE(repeats("a b c d x a b c d y a b c"));
  EXPECT_TRUE(repeats("a b c d x a b c d y a b c d"));
  EXPECT_FALSE(repeats("a b c x a b c y a b c"));
}

TEST(TranslationFlagsTest, WhatTheSourceRepeatsMayBeRepeated) {
  EXPECT_FALSE(of_texts("No, no, no!", "Nein, nein, nein!").repetition);
  EXPECT_FALSE(of_texts("no no no", "nein nein nein").repetition);
  EXPECT_TRUE(of_texts("no no", "nein nein nein").repetition);
}

TEST(TranslationFlagsTest, UpToFourPiecesFourTimesOnEndAreARepetition) {
  const auto repeats = [](const Ids& target, const Ids& source = {}) {
    return flags_of({.source_pieces = source, .target_pieces = target}).repetition;
  };
  EXPECT_FALSE(repeats({9, 7, 7, 7, 9}));
  EXPECT_TRUE(repeats({9, 7, 7, 7, 7, 9}));
  EXPECT_FALSE(repeats({5, 6, 5, 6, 5, 6, 5}));
  EXPECT_TRUE(repeats({5, 6, 5, 6, 5, 6, 5, 6}));
  EXPECT_TRUE(repeats({5, 6, 7, 8, 5, 6, 7, 8, 5, 6, 7, 8, 5, 6, 7, 8}));
  EXPECT_FALSE(repeats({4, 5, 6, 7, 8, 4, 5, 6, 7, 8, 4, 5, 6, 7, 8, 4, 5, 6, 7, 8}));  // five pieces
  EXPECT_FALSE(repeats({7, 7, 7, 7}, {6, 6, 6, 6}));                                    // as the source does
  EXPECT_TRUE(repeats({7, 7, 7, 7}, {6, 6, 6}));
}

TEST(TranslationFlagsTest, LengthsAreComparedInPieces) {
  const auto too_short = [](std::size_t source, std::size_t target) {
    return flags_of({.source_pieces = Ids(source), .target_pieces = Ids(target)}).too_short;
  };
  EXPECT_TRUE(too_short(10, 3));
  EXPECT_FALSE(too_short(10, 4));
  EXPECT_TRUE(too_short(6, 2));
  EXPECT_FALSE(too_short(5, 0));
  const auto too_long = [](std::size_t source, std::size_t target) {
    return flags_of({.source_pieces = Ids(source), .target_pieces = Ids(target)}).too_long;
  };
  EXPECT_FALSE(too_long(10, 25));
  EXPECT_TRUE(too_long(10, 26));
  EXPECT_FALSE(too_long(1, 8));
  EXPECT_TRUE(too_long(1, 9));
  EXPECT_FALSE(too_short(1, 9));
  EXPECT_FALSE(too_long(10, 3));
}

TEST(TranslationFlagsTest, ASourceThatComesBackIsCopied) {
  EXPECT_TRUE(copied("A dog runs.", "A dog runs."));
  EXPECT_FALSE(copied("New York", "New York"));
  EXPECT_FALSE(copied("1 2 3 4 5", "1 2 3 4 5"));
  EXPECT_TRUE(copied("a b c d", "a b c d e"));      // four of five
  EXPECT_FALSE(copied("a b c", "a b c d"));         // three of four
  EXPECT_TRUE(copied("a x b y c z d", "a b c d"));  // in order, not on end
  EXPECT_FALSE(copied("d c b a", "a b c d"));
  EXPECT_FALSE(copied("a a a a", "a b c d e"));  // a word counts once
  EXPECT_FALSE(copied("a b c d", "a b"));        // two words are no evidence
  EXPECT_TRUE(copied("我们去学校。", "我们去学校。"));
  EXPECT_FALSE(copied("", ""));
}

TEST(TranslationFlagsTest, WhatIsKnownIsSaid) {
  EXPECT_THAT(flags_of({}).names(), IsEmpty());
  EXPECT_THAT(flags_of({.unknown = true}).names(), ElementsAre("unknown"));
  EXPECT_THAT(flags_of({.truncated = true}).names(), ElementsAre("truncated"));
  EXPECT_THAT(flags_of({.cut = true}).names(), ElementsAre("cut"));
  const TranslationFlags all{true, true, true, true, true, true, true};
  EXPECT_THAT(all.names(),
              ElementsAre("repetition", "too_short", "too_long", "copied_source", "unknown", "truncated", "cut"));
}

TEST(TranslationFlagsTest, BoundsAreTheCallers) {
  FlagBounds bounds;
  bounds.min_consecutive = 2;
  EXPECT_TRUE(flags_of({.source = "x", .target = "a a"}, bounds).repetition);
  bounds.copied_share = 1;
  EXPECT_FALSE(flags_of({.source = "a b c d", .target = "a b c d e"}, bounds).copied_source);
}

TEST(TranslationFlagsTest, AParagraphThatLostSentencesHasFewer) {
  const auto three = "A man sleeps. A dog runs. A cat eats.";
  EXPECT_THAT(of_texts(three, "Ein Mann schläft.").names(), ElementsAre("fewer_sentences"));
  EXPECT_THAT(of_texts(three, "Ein Mann schläft. Ein Hund läuft. Eine Katze frisst.").names(), IsEmpty());
}

}  // namespace
}  // namespace gloss
