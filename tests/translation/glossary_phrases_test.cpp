#include "translation/glossary_phrases.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/text/utf8.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

/// Characters are pieces, U+2581 in front of one for a space before it.
class Characters final : public Tokenizer {
 public:
  Ids encode(std::string_view line) const override {
    Ids ids;
    std::string before = "▁";
    for (std::size_t offset = 0; offset < line.size();) {
      const auto character = line.substr(offset, decode_utf8(line, offset).bytes);
      offset += character.size();
      if (character == " ") {
        before = "▁";
        continue;
      }
      const auto found = std::ranges::find(pieces_, std::exchange(before, "").append(character));
      ids.push_back(found == pieces_.end() ? kUnk : static_cast<Id>(found - pieces_.begin()));
    }
    return ids;
  }
  std::string decode(std::span<const Id> ids) const override {
    std::string text;
    for (const auto id : ids) {
      const auto& piece = pieces_.at(static_cast<std::size_t>(id));
      const bool begins_word = piece.starts_with("▁");
      if (begins_word) text += ' ';
      text += begins_word ? piece.substr(3) : piece;
    }
    return text.starts_with(' ') ? text.substr(1) : text;
  }
  std::int64_t vocabulary_size() const override { return std::ssize(pieces_); }
  std::string piece(Id id) const override { return pieces_.at(static_cast<std::size_t>(id)); }
  const std::string& serialized() const override { return pieces_[0]; }

 private:
  std::vector<std::string> pieces_ = {"",  "?", "",  "",  "▁a", "▁b", "▁c", "▁.",     "▁,", "▁狗",
                                      "a", "b", "c", ".", ",",  "狗", "热", "<0x41>", "▁热"};
};

class GlossaryPhrasesTest : public testing::Test {
 protected:
  GlossaryPhrases read(const std::string& text) const {
    std::ofstream(folder_ / "glossary", std::ios::binary) << text;
    return GlossaryPhrases(TermList::read(folder_ / "glossary"), characters_);
  }
  /// Returns the phrases of a line whose pieces are not known.
  static std::vector<Phrase> phrases_of(const GlossaryPhrases& glossary, std::string line) {
    return glossary.phrases_for(PieceSpans{.text = std::move(line), .ids = {}, .spans = {}});
  }
  Phrase only(const std::string& target) const { return phrases_of(read("x\t" + target + "\n"), "x").at(0); }

  Characters characters_;
  TemporaryFolder folder_;
};

TEST_F(GlossaryPhrasesTest, ALineHasAPhraseForEachPlaceOfItsSource) {
  const auto glossary = read("x\tab\ny z\tc a\n");
  const auto phrases = phrases_of(glossary, "x, y z and x");
  ASSERT_EQ(phrases.size(), 3u);
  EXPECT_THAT(phrases[0].ids, ElementsAre(4, 11));
  EXPECT_THAT(phrases[1].ids, ElementsAre(6, 4));
  EXPECT_EQ(phrases[1].text, "c a");
  EXPECT_EQ(phrases[2].ids, phrases[0].ids);
  EXPECT_THAT(phrases_of(glossary, "y"), IsEmpty());
}

TEST_F(GlossaryPhrasesTest, PiecesThatGoOnWithAWordAreKnown) {
  // pad, unk, bos, eos; pieces with a space in front; letters, punctuation, a script without spaces, a byte
  EXPECT_THAT(read("").continues_word(), ElementsAre(1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 0));
}

TEST_F(GlossaryPhrasesTest, OnlyWhatEndsInALetterMustEndAWord) {
  EXPECT_TRUE(only("ab").ends_in_word);
  EXPECT_FALSE(only("a.").ends_in_word);
  EXPECT_FALSE(only("a狗").ends_in_word);
}

TEST_F(GlossaryPhrasesTest, AScriptWithoutSpacesHasNoneInFront) {
  EXPECT_THAT(only("热狗").ids, ElementsAre(16, 15));
  EXPECT_THAT(only("a狗").ids, ElementsAre(4, 15));
}

TEST_F(GlossaryPhrasesTest, WhatTheModelCannotSayIsNamed) {
  EXPECT_THAT(
      [&] { read("x\tab\ny\taqb\n"); },
      ThrowsMessage<DataError>(AllOf(HasSubstr("glossary: line 2: "), HasSubstr("\"aqb\""), HasSubstr("\"a?b\""))));
}

TEST_F(GlossaryPhrasesTest, ATextHasAllPhrasesOrNot) {
  const auto phrases = phrases_of(read("x\tab\ny\tc\n"), "x y x");
  EXPECT_TRUE(has_all("ab ab c", phrases));
  EXPECT_TRUE(has_all("ab,ab,c", phrases));
  EXPECT_FALSE(has_all("ab c", phrases));
  EXPECT_FALSE(has_all("ab ab", phrases));
  EXPECT_TRUE(has_all("", {}));
}

TEST_F(GlossaryPhrasesTest, AlternativesAreAGroupOfWhichOneIsEnough) {
  const auto phrases = phrases_of(read("x\tab| c a |b\ny\tc\n"), "x y x");
  ASSERT_EQ(phrases.size(), 7u);
  EXPECT_EQ(phrases[1].text, "c a");
  EXPECT_TRUE(phrases[0].replaces(phrases[2]));
  EXPECT_FALSE(phrases[2].replaces(phrases[3]));
  EXPECT_FALSE(phrases[0].replaces(phrases[4])) << "the second x";
  EXPECT_TRUE(has_all("ab c b", phrases));
  EXPECT_TRUE(has_all("ab, ab, c", phrases));
  EXPECT_TRUE(has_all("c c a b", phrases));
  EXPECT_FALSE(has_all("ab c", phrases));
  EXPECT_FALSE(has_all("c a b", phrases));
  EXPECT_THAT([&] { read("x\tab|q\n"); }, ThrowsMessage<DataError>(HasSubstr("got \"q\"")));
}

TEST_F(GlossaryPhrasesTest, ALineThatIsAPhraseIsKnown) {
  const auto glossary = read("a b\tc\n");
  const auto phrases = [&](const std::string& line, const std::vector<PieceSpans::Span>& spans) {
    return glossary.phrases_for({.text = line, .ids = Ids(spans.size(), 4), .spans = spans});
  };
  EXPECT_TRUE(phrases(" a  b", {{1, 2}, {2, 5}}).at(0).is_line);
  EXPECT_TRUE(phrases("a b", {{0, 0}, {0, 1}, {1, 3}}).at(0).is_line) << "a piece without text";
  EXPECT_FALSE(phrases("a b.", {{0, 1}, {1, 3}, {3, 4}}).at(0).is_line);
}

std::vector<Phrase> texts_of(const std::vector<std::string>& texts) {
  std::vector<Phrase> phrases;
  for (const auto& text : texts) phrases.push_back({text, {}, true});
  return phrases;
}

TEST(HasAllTest, APhraseStandsAsWholeWords) {
  const auto dog = texts_of({"Hund"});
  for (const auto* text : {"Hund", "Der Hund.", "der (Hund)", "Hunde, ein Hund", "\u72d7Hund\u72d7"})
    EXPECT_TRUE(has_all(text, dog)) << text;
  for (const auto* text : {"", "Hunde", "Schäferhund", "SchäferHund", "Hundé", "\u00e9Hund", "Hund3"})
    EXPECT_FALSE(has_all(text, dog)) << text;
  EXPECT_TRUE(has_all("\u70ed\u72d7\u70ed", texts_of({"\u72d7"})));  // each character may be a word
  EXPECT_TRUE(has_all("3 Mio.EUR", texts_of({"3 Mio."})));
}

TEST(HasAllTest, PhrasesShareNoPlace) {
  EXPECT_FALSE(has_all("die Hunde", texts_of({"Hunde", "Hund"})));
  EXPECT_TRUE(has_all("der Hund und die Hunde", texts_of({"Hunde", "Hund"})));
  const auto nested = texts_of({"rotes Haus", "Haus"});
  EXPECT_FALSE(has_all("ein rotes Haus", nested));
  EXPECT_TRUE(has_all("ein rotes Haus, ein Haus", nested));
  EXPECT_TRUE(has_all("ein Haus, ein rotes Haus", nested));
  EXPECT_FALSE(has_all("a b c", texts_of({"a b", "b c"})));
  EXPECT_TRUE(has_all("a b b c", texts_of({"a b", "b c"})));
  EXPECT_FALSE(has_all("a a a", texts_of({"a a", "a a"})));
  EXPECT_TRUE(has_all("a a a a", texts_of({"a a", "a a"})));
  EXPECT_TRUE(has_all("a b a", texts_of({"a", "a b"})));
  EXPECT_TRUE(has_all("a b a b c", texts_of({"a b", "a b c"})));
}

}  // namespace
}  // namespace gloss
