#include "model/storage/parameter_shapes.h"

#include <gtest/gtest.h>

#include "tests/support/small_model.h"

namespace gloss {
namespace {

TEST(ParameterShapesTest, EqualThoseOfTheModel) {
  auto configs = all_combinations();
  for (auto& config : configs) {
    config.encoder_layers = 3;
    for (const auto final_norm : {std::optional<bool>(), std::optional(true), std::optional(false)}) {
      config.final_norm = final_norm;
      const Vocabularies vocabularies{20, config.tie_embeddings == TieEmbeddings::kAll ? 20 : 24};
      std::map<std::string, std::vector<std::int64_t>> shapes;
      std::int64_t count = 0;
      for (const auto& item : build_model(config, vocabularies)->named_parameters()) {
        shapes[item.key()] = item.value().sizes().vec();
        count += item.value().numel();
      }
      EXPECT_EQ(parameter_shapes(config, vocabularies), shapes) << describe(config);
      EXPECT_EQ(count_parameters(config, vocabularies), count) << describe(config);
    }
  }
}

TEST(ParameterShapesTest, BaseModelHasTheKnownNumber) {
  EXPECT_EQ(count_parameters(ModelConfig{}, {37000, 37000}), 63121544);
}

TEST(ParameterShapesTest, LargestAllowedModelCanBeCounted) {
  auto config = small_config();
  config.encoder_layers = config.decoder_layers = 1000;
  config.d_model = config.d_ff = 1 << 17;
  config.positions = Positions::kLearned;
  config.max_positions = 1 << 24;
  config.validate();
  EXPECT_GT(count_parameters(config, {1 << 30, 1 << 30}), std::int64_t{1} << 45);
}

}  // namespace
}  // namespace gloss
