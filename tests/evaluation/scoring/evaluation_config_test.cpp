#include "evaluation/scoring/evaluation_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace gloss {
namespace {

EvaluationConfig read(const Json& json) { return read_evaluation_config(ConfigSection(json, "evaluation")); }

TEST(EvaluationConfigTest, TokenizersRoundTrip) {
  EXPECT_EQ(to_json(read(Json::object())), (Json{{"tokenize", "13a"}}));
  for (const auto& [name, tokenizer] : kBleuTokenizers) {
    const auto config = read({{"tokenize", name}});
    EXPECT_EQ(config.tokenize, tokenizer);
    EXPECT_EQ(to_json(config), (Json{{"tokenize", name}}));
  }
}

TEST(EvaluationConfigTest, UnknownValuesAreRefusedByKey) {
  using testing::HasSubstr;
  EXPECT_THAT(
      [] {
        read({{"tokenize", "moses"}});
      },
      testing::ThrowsMessage<UsageError>(HasSubstr("evaluation.tokenize")));
  EXPECT_THAT([] { read({{"metric", "bleu"}}); }, testing::ThrowsMessage<UsageError>(HasSubstr("evaluation.metric")));
}

}  // namespace
}  // namespace gloss
