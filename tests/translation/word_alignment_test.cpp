#include "translation/word_alignment.h"

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gloss {
namespace {

constexpr Id kPiece = kSpecialIds;

/// A text of parts, each a piece; those named are unknown.
PieceSpans pieces_of(const std::vector<std::string>& parts, const std::vector<std::size_t>& unknown = {}) {
  PieceSpans result;
  for (const auto& part : parts) {
    result.ids.push_back(kPiece);
    result.spans.push_back({result.text.size(), result.text.size() + part.size()});
    result.text += part;
  }
  for (const auto i : unknown) result.ids[i] = kUnk;
  return result;
}

std::string linked(const std::vector<std::string>& source, const std::vector<std::string>& target,
                   const std::vector<PieceLink>& links) {
  return to_pharaoh(word_links(words_of(pieces_of(source)), words_of(pieces_of(target)), links));
}

PieceSpans replaced_in(const PieceSpans& source, const PieceSpans& target, const std::vector<PieceLink>& links) {
  return replace_unknown(source, words_of(source), target, links);
}

TEST(WordAlignmentTest, LinksOfPiecesBecomeSortedPairsOfWords) {
  EXPECT_EQ(linked({"a", " gr", "een", " dog"}, {"ein", " grün", "er", " Hund"}, {{0}, {2}, {1}, {3}}), "0-0 1-1 2-2");
  EXPECT_EQ(linked({"a", " b"}, {"x", " y"}, {{1}, {0}}), "0-1 1-0");
  EXPECT_EQ(linked({"a", " b"}, {"x", "y", " z"}, {{1}, {0}, {1}}), "0-0 1-0 1-1");
  EXPECT_EQ(linked({}, {}, {}), "");
}

TEST(WordAlignmentTest, APieceInTwoWordsLinksBothAndOneInNoneLinksNothing) {
  EXPECT_EQ(linked({"of the", " dog"}, {"vom", " Hund"}, {{0}, {1}}), "0-0 1-0 2-1");
  EXPECT_EQ(linked({"a", " ", "b"}, {"x", " ", "y"}, {{1}, {0}, {2}}), "1-1");
}

TEST(WordAlignmentTest, WhatLooksAtTheEndOrAtNothingIsNotLinked) {
  EXPECT_EQ(linked({"a", " b"}, {"x", " y", " z"}, {{0, true}, {1}, {-1}}), "1-1");
}

TEST(ReplaceUnknownTest, AnUnknownPieceOfTheSourceIsCopiedCharacterForCharacter) {
  const auto source = pieces_of({"I", " ", "Ł", "ód", "ź"}, {2, 4});
  const auto target = pieces_of({"Ich", " ", " ⁇ ", "ód", " ⁇ ", "."}, {2, 4});
  const auto replaced = replaced_in(source, target, std::vector<PieceLink>{{0}, {1}, {2}, {3}, {4}, {0}});
  EXPECT_EQ(replaced.text, "Ich Łódź.");
  EXPECT_EQ(words_of(replaced).words.size(), 2u);
  EXPECT_EQ(replaced.text_of(4), "ź");
}

TEST(ReplaceUnknownTest, ElseTheWordIsTakenWithoutItsPunctuation) {
  const auto source = pieces_of({"Mr", " \"Kow", "al,\"", " --", " ", "x", " "});
  const auto target = pieces_of({"Herr", " ", " ⁇ ", "!"}, {2});
  const auto replaced = [&](PieceLink link) {
    return replaced_in(source, target, std::vector<PieceLink>{{}, {}, link, {}}).text;
  };
  EXPECT_EQ(replaced({1}), "Herr Kowal!");
  EXPECT_EQ(replaced({2, true}), "Herr Kowal!");  // the best piece, though eos has more
  EXPECT_EQ(replaced({3}), "Herr --!");
  EXPECT_EQ(replaced({4}), "Herr x!");     // a space begins a word
  EXPECT_EQ(replaced({6}), "Herr  ⁇ !");   // or ends the line
  EXPECT_EQ(replaced({-1}), "Herr  ⁇ !");  // nothing there
}

TEST(ReplaceUnknownTest, KnownPiecesStay) {
  const auto text = pieces_of({"a", " b"});
  EXPECT_EQ(replaced_in(pieces_of({"c", " d"}), text, std::vector<PieceLink>{{0}, {1}}).text, "a b");
}

}  // namespace
}  // namespace gloss
