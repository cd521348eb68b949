#include "app/input/typed_text.h"

#include <string>

#include <gtest/gtest.h>

namespace gloss {
namespace {

using namespace std::string_literals;

TEST(TypedTextTest, ControlSequencesAndCharactersAreLeftOut) {
  EXPECT_EQ(without_controls("A dog runs."), "A dog runs.");
  EXPECT_EQ(without_controls("A\x1b[A dog\x1b[1;5C runs\x1bOP.\x1b[3~"), "A dog runs.");
  EXPECT_EQ(without_controls("\x1b[200~pasted\x1b[201~"), "pasted");
  EXPECT_EQ(without_controls("\x1b]0;title\aA dog\x1b]8;;url\x1b\\ runs"), "A dog runs");
  EXPECT_EQ(without_controls("A\x01 d\x7fo\bg\r\0"s), "A dog");
  EXPECT_EQ(without_controls("A\tdog"), "A dog");
  EXPECT_EQ(without_controls("Stra\u00dfe \u4f60\u597d\u009b"), "Stra\u00dfe \u4f60\u597d");
  EXPECT_EQ(without_controls("x\x1b["), "x");
  EXPECT_EQ(without_controls("x\x1b"), "x");
  EXPECT_EQ(without_controls("a\xff"), "a\xff");  // broken UTF-8 is for the translator to repair
}

TEST(TypedTextTest, TheEndOfALineBreaksOffACommandString) {
  for (const auto* text : {"\x1b]dog\n", "\x1bPdog\r", "\x1b_dog\x04"}) {
    EXPECT_TRUE(control_sequence(text).complete) << text;
    EXPECT_EQ(control_sequence(text).bytes, 2U) << text;
  }
}

TEST(TypedTextTest, ASequenceThatMayGoOnIsNotComplete) {
  EXPECT_EQ(control_sequence("dog").bytes, 0U);
  for (const auto* text : {"\x1b", "\x1b[", "\x1b[1;5", "\x1bO", "\x1b]0;tit"})
    EXPECT_FALSE(control_sequence(text).complete) << text;
  EXPECT_EQ(control_sequence("\x1b[1;5Crest").bytes, 6U);
  EXPECT_TRUE(control_sequence("\x1b[1;5Crest").complete);
  EXPECT_EQ(control_sequence("\x1b"
                             "b")
                .bytes,
            2U);
}

}  // namespace
}  // namespace gloss
