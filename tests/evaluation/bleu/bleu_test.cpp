#include "evaluation/bleu/bleu.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/error.h"

namespace gloss {
namespace {

using nlohmann::json;
using Texts = std::vector<std::string>;

json golden() { return json::parse(std::ifstream(GLOSS_GOLDEN_FOLDER "/bleu.json")); }

// Counts and precisions are equal to the last digit. The C library's exp and log may differ in their last bit between
// processors, which is what EXPECT_DOUBLE_EQ leaves room for.
TEST(BleuTest, EqualsSacreBleu) {
  const auto corpora = golden().at("corpora");
  ASSERT_GE(corpora.size(), 30u);
  for (const auto& wanted : corpora) {
    SCOPED_TRACE(wanted.at("name").get<std::string>());
    const Texts hypotheses = wanted.at("hypotheses"), references = wanted.at("references");
    const auto bleu = corpus_bleu(hypotheses, references);
    EXPECT_DOUBLE_EQ(bleu.score, wanted.at("score").get<double>());
    EXPECT_DOUBLE_EQ(bleu.brevity_penalty, wanted.at("brevity_penalty").get<double>());
    EXPECT_EQ(json(bleu.precisions), wanted.at("precisions"));
    EXPECT_EQ(json(bleu.matches), wanted.at("matches"));
    EXPECT_EQ(json(bleu.totals), wanted.at("totals"));
    EXPECT_EQ(bleu.hypothesis_length, wanted.at("hypothesis_length"));
    EXPECT_EQ(bleu.reference_length, wanted.at("reference_length"));
  }
}

TEST(BleuTest, EqualsSacreBleuWithEachTokenizer) {
  const auto corpora = golden().at("corpora");
  ASSERT_GE(corpora.size(), 30u);
  for (const auto& wanted : corpora) {
    const Texts hypotheses = wanted.at("hypotheses"), references = wanted.at("references");
    for (const auto& [name, tokenizer] : kBleuTokenizers)
      EXPECT_DOUBLE_EQ(corpus_bleu(hypotheses, references, tokenizer).score,
                       wanted.at("scores").at(std::string(name)).get<double>())
          << wanted.at("name") << ", " << name;
  }
}

TEST(BleuTest, SignatureIsSacreBleus) {
  EXPECT_EQ(bleu_signature(), golden().at("signature"));
  for (const auto& [name, tokenizer] : kBleuTokenizers)
    EXPECT_EQ(bleu_signature(tokenizer), golden().at("signatures").at(std::string(name)));
}

TEST(BleuTest, OfATextWithItselfIs100) {
  const Texts text = {"one two three four five", "six, seven."};
  EXPECT_DOUBLE_EQ(corpus_bleu(text, text).score, 100);
}

TEST(BleuTest, OrderOfTheLinesDoesNotMatter) {
  const Texts hypotheses = {"a b c d e f", "g h x j k", "l m n o"},
              references = {"a b c d x f", "g h i j k", "l m n o p"};
  const Texts hypotheses_turned = {hypotheses[2], hypotheses[0], hypotheses[1]};
  const Texts references_turned = {references[2], references[0], references[1]};
  EXPECT_EQ(corpus_bleu(hypotheses, references).score, corpus_bleu(hypotheses_turned, references_turned).score);
}

TEST(BleuTest, RefusesDifferentCountsOfLinesAndStatesBoth) {
  const Texts two = {"a", "b"}, three = {"a", "b", "c"};
  EXPECT_THAT([&] { corpus_bleu(two, three); },
              testing::ThrowsMessage<DataError>(testing::HasSubstr("2 hypotheses and 3 references")));
}

TEST(BleuTest, RefusesNoLinesAtAll) { EXPECT_THROW(corpus_bleu({}, {}), DataError); }

}  // namespace
}  // namespace gloss
