#include "evaluation/tokenize_13a.h"

#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace gloss {
namespace {

TEST(Tokenize13aTest, EqualsSacreBleu) {
  const auto lines = nlohmann::json::parse(std::ifstream(GLOSS_GOLDEN_FOLDER "/bleu.json")).at("lines");
  ASSERT_GE(lines.size(), 50u);
  for (const auto& wanted : lines)
    EXPECT_EQ(tokenize_13a(wanted.at("line").get<std::string>()), wanted.at("tokens").get<std::string>());
}

TEST(Tokenize13aTest, StripsAllWhiteSpaceAtTheEndOnly) {
  EXPECT_EQ(strip_end("\u3000a b\u2009\t\u00a0\n"), "\u3000a b");
  EXPECT_EQ(strip_end(" \u2028 "), "");
  EXPECT_EQ(strip_end("a\u200b"), "a\u200b");  // zero width is not white space
}

}  // namespace
}  // namespace gloss
