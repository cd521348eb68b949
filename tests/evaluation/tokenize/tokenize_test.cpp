#include "evaluation/tokenize/tokenize.h"

#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace gloss {
namespace {

TEST(TokenizeTest, EqualsSacreBleu) {
  const auto lines = nlohmann::json::parse(std::ifstream(GLOSS_GOLDEN_FOLDER "/bleu.json")).at("lines");
  ASSERT_GE(lines.size(), 50u);
  for (const auto& [name, tokenizer] : kBleuTokenizers)
    for (const auto& expected : lines)
      EXPECT_EQ(tokenize(tokenizer, expected.at("line").get<std::string>()), expected.at(std::string(name))) << name;
}

}  // namespace
}  // namespace gloss
