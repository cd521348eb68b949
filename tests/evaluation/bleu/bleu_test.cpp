#include "evaluation/bleu/bleu.h"

#include <fstream>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/error.h"

namespace gloss {
namespace {

using nlohmann::json;
using Texts = std::vector<std::string>;

json golden() { return json::parse(std::ifstream(GLOSS_GOLDEN_FOLDER "/bleu.json")); }

// Counts and precisions are equal to the last digit. exp and log of the C library may differ in their last bit between
// processors, which EXPECT_DOUBLE_EQ tolerates.
TEST(BleuTest, EqualsSacreBleu) {
  const auto corpora = golden().at("corpora");
  ASSERT_GE(corpora.size(), 30u);
  for (const auto& expected : corpora) {
    SCOPED_TRACE(expected.at("name").get<std::string>());
    const Texts hypotheses = expected.at("hypotheses"), references = expected.at("references");
    const auto bleu = corpus_bleu(hypotheses, references);
    EXPECT_DOUBLE_EQ(bleu.score, expected.at("score").get<double>());
    EXPECT_DOUBLE_EQ(bleu.brevity_penalty, expected.at("brevity_penalty").get<double>());
    EXPECT_EQ(json(bleu.precisions), expected.at("precisions"));

    const BleuMetric metric;
    const auto score = metric.score(sum_of_rows(metric.statistics(hypotheses, References::single(references))));
    const std::map<std::string, ScoreFigure> figures(score.figures.begin(), score.figures.end());
    for (const auto* const key : {"matches", "totals", "hypothesis_length", "reference_length"})
      EXPECT_EQ(std::visit([](const auto& figure) { return json(figure); }, figures.at(key)), expected.at(key)) << key;
  }
}

TEST(BleuTest, EqualsSacreBleuWithEachTokenizer) {
  const auto corpora = golden().at("corpora");
  ASSERT_GE(corpora.size(), 30u);
  for (const auto& expected : corpora) {
    const Texts hypotheses = expected.at("hypotheses"), references = expected.at("references");
    for (const auto& [name, tokenizer] : kBleuTokenizers)
      EXPECT_DOUBLE_EQ(corpus_bleu(hypotheses, references, tokenizer).score,
                       expected.at("scores").at(std::string(name)).get<double>())
          << expected.at("name") << ", " << name;
  }
}

TEST(BleuTest, SignatureEqualsSacreBleu) {
  EXPECT_EQ(bleu_signature(), golden().at("signature"));
  for (const auto& [name, tokenizer] : kBleuTokenizers)
    EXPECT_EQ(bleu_signature(tokenizer), golden().at("signatures").at(std::string(name)));
}

TEST(BleuTest, TextAgainstItselfScores100) {
  const Texts text = {"one two three four five", "six, seven."};
  EXPECT_DOUBLE_EQ(corpus_bleu(text, text).score, 100);
}

TEST(BleuTest, LineOrderDoesNotMatter) {
  const Texts hypotheses = {"a b c d e f", "g h x j k", "l m n o"},
              references = {"a b c d x f", "g h i j k", "l m n o p"};
  const Texts hypotheses_turned = {hypotheses[2], hypotheses[0], hypotheses[1]};
  const Texts references_turned = {references[2], references[0], references[1]};
  EXPECT_EQ(corpus_bleu(hypotheses, references).score, corpus_bleu(hypotheses_turned, references_turned).score);
}

TEST(BleuTest, RefusesDifferentLineCountsAndReportsBoth) {
  const Texts two = {"a", "b"}, three = {"a", "b", "c"};
  EXPECT_THAT([&] { corpus_bleu(two, three); },
              testing::ThrowsMessage<DataError>(testing::HasSubstr("the hypothesis has 2 lines, the reference 3")));
}

TEST(BleuTest, RefusesEmptyTexts) { EXPECT_THROW(corpus_bleu({}, {}), DataError); }

}  // namespace
}  // namespace gloss
