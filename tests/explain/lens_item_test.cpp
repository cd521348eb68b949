#include "explain/lens_item.h"

#include <cmath>

#include <gtest/gtest.h>

#include "explain/explain.h"

namespace gloss {
namespace {

/// Each number of `own` is that of `whole` with three digits after the point.
void expect_rounded(const Json& own, const Json& whole) {
  EXPECT_EQ(own["shape"], whole["shape"]);
  ASSERT_EQ(own["values"].size(), whole["values"].size());
  for (std::size_t i = 0; i < own["values"].size(); ++i) {
    const auto number = own["values"][i].get<double>();
    EXPECT_NEAR(number, whole["values"][i].get<double>(), 0.0005001);
    EXPECT_EQ(number, std::round(number * 1000) / 1000);
  }
}

class LensItemTest : public testing::TestWithParam<const char*> {};

TEST_P(LensItemTest, HasTheNumbersOfAnExplanation) {
  auto model = load_translation_model(std::string(GLOSS_GOLDEN_FOLDER) + "/" + GetParam(), at::kCPU);
  const auto decoding = greedy_decoding(model.config.decoding);
  const auto item = lens_item(model.file.model.network(), model.file.config, model.translator(),
                              *model.source_tokenizer, *model.target_tokenizer, "ana nipa", decoding);
  const std::vector models{ExplainedModel{"", std::move(model), decoding}};
  const auto whole = explain(models, {.sentences = {"ana nipa"}, .quick = true})["items"][0];

  EXPECT_EQ(item["text"], "ana nipa");
  EXPECT_EQ(item["source"], whole["source"]);
  EXPECT_EQ(item["target"]["text"], whole["target"]["text"]);
  EXPECT_EQ(item["target"]["pieces"], whole["target"]["pieces"]);
  ASSERT_EQ(item["maps"].size(), whole["maps"].size());
  for (std::size_t m = 0; m < item["maps"].size(); ++m) {
    const auto &own = item["maps"][m], &other = whole["maps"][m];
    for (const auto* key : {"part", "side", "layer", "kind", "entropy"}) EXPECT_EQ(own[key], other[key]);
    EXPECT_FALSE(own.contains("norms"));
    expect_rounded(own["weights"], other["weights"]);
  }
  ASSERT_EQ(item["steps"].size(), whole["steps"].size());
  for (std::size_t t = 0; t < item["steps"].size(); ++t) {
    const auto &own = item["steps"][t]["top"], &other = whole["steps"][t]["top"];
    ASSERT_EQ(own.size(), 10U);
    for (std::size_t k = 0; k < own.size(); ++k) {
      EXPECT_EQ(own[k][0], other[k][0]);
      EXPECT_NEAR(own[k][1].get<double>(), other[k][1].get<double>(), 0.0005001);
      const auto name = std::to_string(own[k][0].get<Id>());
      EXPECT_EQ(item["names"][name], whole["names"][name]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, LensItemTest, testing::Values("tiny_model.safetensors", "pre_norm_model.safetensors"),
                         [](const auto& each) { return each.index == 0 ? "PostNorm" : "PreNorm"; });

}  // namespace
}  // namespace gloss
