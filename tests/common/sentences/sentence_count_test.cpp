#include "common/sentences/sentence_count.h"

#include <gtest/gtest.h>

namespace gloss {
namespace {

TEST(SentenceCountTest, ASentenceEndsWithAMarkASpaceAndACapitalLetter) {
  EXPECT_EQ(min_sentences(""), 0);
  EXPECT_EQ(min_sentences(" - ..."), 0);
  EXPECT_EQ(min_sentences("A man sleeps"), 1);
  EXPECT_EQ(min_sentences("A man sleeps. A dog runs."), 2);
  EXPECT_EQ(min_sentences("Is he asleep?! \"Yes, he sleeps.\" (He snores.) He does..."), 4);
  EXPECT_EQ(min_sentences("Er schläft.  Über ihm läuft ein Hund. ¿Es verdad? Ёлка стоит."), 4);
  EXPECT_EQ(min_sentences("see gloss.cpp and 3.50 or so. then again"), 1);
}

TEST(SentenceCountTest, AbbreviationsInitialsAndNumbersEndNone) {
  EXPECT_EQ(min_sentences("Dr. Smith and Mrs. J. R. Miller of the U.S. Army met Prof. Meyer at St. Mary."), 1);
  EXPECT_EQ(min_sentences("Am 3. Mai kam z.B. Herr Nr. 5 mit ca. Mitte zwanzig usw. Leuten bzw. Hunden."), 1);
  EXPECT_EQ(min_sentences("\"Mr. Smith sleeps. Mr. Jones runs.\""), 2);
}

TEST(SentenceCountTest, OtherScriptsHaveTheirOwnMarks) {
  EXPECT_EQ(min_sentences("他睡了。狗在跑！「真的吗？」「真的。」"), 4);
  EXPECT_EQ(min_sentences("वह सोता है। कुत्ता दौड़ता है।"), 2);
  EXPECT_EQ(min_sentences("그는 잔다. 개가 달린다."), 2);
  EXPECT_EQ(min_sentences("هو نائم. الكلب يركض؟ نعم."), 3);
}

TEST(SentenceCountTest, TheMostIsEveryMarkThatMayEndOne) {
  EXPECT_EQ(max_sentences("Dr. Smith schläft. und? ja"), 4);
  EXPECT_EQ(max_sentences("Ein Mann schläft."), 1);
  EXPECT_EQ(max_sentences("3.50 Euro."), 1);
  EXPECT_EQ(max_sentences("他睡了。狗在跑"), 2);
  EXPECT_EQ(max_sentences("Ein Mann schläft"), 0);
}

TEST(SentenceCountTest, AParagraphThatLosesASentenceLacksSentences) {
  const auto three = "A man sleeps. A dog runs. A cat eats.";
  EXPECT_TRUE(has_fewer_sentences(three, "Ein Mann schläft.", 1));
  EXPECT_TRUE(has_fewer_sentences(three, "Ein Mann schläft. Ein Hund läuft.", 1));
  EXPECT_FALSE(has_fewer_sentences(three, "Ein Mann schläft. Ein Hund läuft. Eine Katze frisst.", 1));
  EXPECT_FALSE(has_fewer_sentences(three, "ผู้ชายนอนหลับ", 1));  // a script without marks
  EXPECT_FALSE(has_fewer_sentences(three, "", 1));
  EXPECT_TRUE(has_fewer_sentences("A man sleeps. A dog runs. A cat eats. It rains.", "Ein Mann. Ein Hund.", 1));
}

TEST(SentenceCountTest, TwoSentencesBecomeOneOrLoseOne) {
  const auto two = "A man sleeps. A dog runs.";
  EXPECT_FALSE(has_fewer_sentences(two, "Ein Mann schläft, ein Hund läuft.", 1));
  EXPECT_FALSE(has_fewer_sentences(two, "Ein Mann schläft. Ein Hund läuft.", 0.5));
  EXPECT_TRUE(has_fewer_sentences(two, "Ein Mann schläft.", 0.5));
  EXPECT_FALSE(has_fewer_sentences("A man sleeps.", "Mann.", 0.5));
}

}  // namespace
}  // namespace gloss
