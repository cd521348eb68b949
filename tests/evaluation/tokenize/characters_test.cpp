#include "evaluation/tokenize/characters.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/files/sha256.h"
#include "common/text/utf8.h"
#include "evaluation/tokenize/tokenize.h"

namespace gloss {
namespace {

/// Encodes as tests/golden/characters.py does.
std::string text_of_block(unsigned begin) {
  std::string text;
  for (unsigned code = begin; code < begin + 4096; ++code) {
    if (code >= 0xd800 && code < 0xe000) continue;
    for (const char* before : {"", "a", "1", "", " 2", "3 A", "Σ", "B A", "Σ", " ,", ".5"})
      append_utf8(code, text.append(before));
    text += ',';
  }
  return text;
}

TEST(CharactersTest, ClassesEqualPythonAndItsTokenizers) {
  const auto blocks = nlohmann::json::parse(std::ifstream(GLOSS_GOLDEN_FOLDER "/characters.json")).at("blocks");
  ASSERT_EQ(blocks.size(), 53u);
  for (const auto& expected : blocks) {
    const auto text = text_of_block(expected.at("begin").get<unsigned>());
    const auto sum = [](const std::string& result) { return sha256(result).substr(0, 8); };
    EXPECT_EQ(sum(lower(text)), expected.at("lower")) << expected.at("begin");
    for (const auto& [name, tokenizer] : kBleuTokenizers)
      EXPECT_EQ(sum(tokenize(tokenizer, text)), expected.at(std::string(name))) << expected.at("begin") << ", " << name;
  }
}

TEST(CharactersTest, ClassesMatchUnicode) {
  const auto& table = CharacterClasses::table();
  EXPECT_EQ(table['a'] & CharacterClasses::kPunctuation, 0);
  EXPECT_NE(table[U'。'] & CharacterClasses::kPunctuation, 0);
  EXPECT_NE(table[U'€'] & CharacterClasses::kSymbol, 0);
  EXPECT_NE(table[U'٣'] & CharacterClasses::kNumber, 0);
  EXPECT_EQ(table[0x10ffff], 0);
}

TEST(LowerCaseTest, FinalSigmaDependsOnItsNeighbors) {
  EXPECT_EQ(lower("ΟΔΥΣΣΕΥΣ"), "οδυσσευς");
  EXPECT_EQ(lower("ΑΣ ΑΣ. Σ ΑΣΑ"), "ας ας. σ ασα");
  EXPECT_EQ(lower("ΑΣ'Α Α'Σ ΑΣ\u0301 1Σ"), "ασ'α α'ς ας\u0301 1σ");
}

TEST(LowerCaseTest, DottedCapitalIBecomesTwoCharacters) { EXPECT_EQ(lower("İIı"), "i\u0307iı"); }

TEST(LowerCaseTest, InvalidUtf8IsKept) {
  EXPECT_EQ(lower("A\xff"
                  "B\xce"),
            "a\xff"
            "b\xce");
}

TEST(StripTest, StripsAllWhiteSpaceAtTheEndOnly) {
  EXPECT_EQ(strip_end("\u3000a b\u2009\t\u00a0\n"), "\u3000a b");
  EXPECT_EQ(strip_end(" \u2028 "), "");
  EXPECT_EQ(strip_end("a\u200b"), "a\u200b");  // zero width is not white space
}

TEST(StripTest, StripsBothEnds) {
  EXPECT_EQ(strip("\u3000\t a b\u2009\u00a0\n"), "a b");
  EXPECT_EQ(strip(" \u2028 "), "");
}

TEST(StripTest, RunsOfSpaceBecomeOneSpace) { EXPECT_EQ(single_spaced(" a\u3000\u2003b \t\n"), "a b"); }

}  // namespace

}  // namespace gloss
