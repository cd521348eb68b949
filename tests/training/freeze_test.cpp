#include "training/freeze.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/device_test.h"
#include "tests/support/small_model.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing::ThrowsMessage;

class FreezeTest : public DeviceTest {
 protected:
  EncoderDecoder model(TieEmbeddings tie = TieEmbeddings::kNone) const {
    auto config = small_config();
    config.encoder_layers = 11;
    config.tie_embeddings = tie;
    return small_model(device(), config);
  }
  static std::ptrdiff_t trained(const EncoderDecoder& model) {
    const auto parameters = model->named_parameters();
    return std::ranges::count_if(parameters, [](const auto& item) { return item.value().requires_grad(); });
  }
  std::vector<std::string> frozen(const std::vector<std::string>& parts, TieEmbeddings tie = TieEmbeddings::kNone) {
    auto model = this->model(tie);
    std::vector<std::string> names;
    for (const auto& [name, parameter] : freeze(model, parts)) names.push_back(name);
    for (const auto& item : model->named_parameters())
      EXPECT_EQ(item.value().requires_grad(), std::ranges::find(names, item.key()) == names.end()) << item.key();
    EXPECT_EQ(trained(model) + std::ssize(names), std::ssize(model->named_parameters()));
    return names;
  }
};

TEST_P(FreezeTest, PartIsAPrefixUpToADot) {
  EXPECT_THAT(frozen({"encoder"}), AllOf(Each(StartsWith("encoder.")), Contains("encoder.norm.bias")));
  EXPECT_THAT(frozen({"encoder.layers.1"}), AllOf(testing::SizeIs(16), Each(StartsWith("encoder.layers.1."))))
      << "not layer 10";
  EXPECT_THAT(frozen({"generator.bias"}), ElementsAre("generator.bias"));
  EXPECT_THAT(frozen({"decoder.norm", "decoder.norm.bias"}), ElementsAre("decoder.norm.weight", "decoder.norm.bias"));
  EXPECT_THAT(frozen({}), ElementsAre());
}

TEST_P(FreezeTest, TiedMatrixIsFrozenByAnyOfItsNames) {
  for (const auto* name : {"source_embedding", "target_embedding", "generator.weight"})
    EXPECT_THAT(frozen({name}, TieEmbeddings::kAll), ElementsAre("source_embedding.weight")) << name;
  for (const auto* name : {"target_embedding", "generator.weight"})
    EXPECT_THAT(frozen({name}, TieEmbeddings::kDecoder), ElementsAre("target_embedding.weight")) << name;
  EXPECT_THAT(frozen({"generator"}, TieEmbeddings::kAll),
              testing::UnorderedElementsAre("source_embedding.weight", "generator.bias"));
  EXPECT_THAT(frozen({"generator"}), testing::UnorderedElementsAre("generator.weight", "generator.bias"));
}

TEST_P(FreezeTest, RefusesAnUnknownPartAndSuggestsTheNearest) {
  auto model = this->model();
  const auto refused = [&](const std::string& part) { return [&, part] { freeze(model, std::vector{part}); }; };
  EXPECT_THAT(refused("encodr"), ThrowsMessage<UsageError>(HasSubstr(
                                     "training.freeze: the model has no part \"encodr\"; did you mean \"encoder\"?")));
  EXPECT_THAT(refused("encoder.layer.3"), ThrowsMessage<UsageError>(HasSubstr("did you mean \"encoder.layers.3\"?")));
  EXPECT_THAT(refused("source_positions"), ThrowsMessage<UsageError>(HasSubstr("training.freeze")))
      << "sinusoids are no weights";
  EXPECT_THAT(refused(""), ThrowsMessage<UsageError>(HasSubstr("it has decoder, encoder, generator")));
  EXPECT_THAT(refused("zzzzzzzzzz\n"), ThrowsMessage<UsageError>(AllOf(HasSubstr("\\n"), Not(HasSubstr("\n")))));
  EXPECT_EQ(trained(model), std::ssize(model->named_parameters())) << "nothing was frozen";
}

TEST_P(FreezeTest, RefusesToFreezeEverything) {
  auto model = this->model(TieEmbeddings::kAll);
  EXPECT_THAT(
      [&] {
        freeze(model, std::vector<std::string>{"encoder", "decoder", "generator"});
      },
      ThrowsMessage<UsageError>(HasSubstr("wanted a part of the model left to train")));
  EXPECT_NO_THROW(freeze(model, std::vector<std::string>{"encoder", "decoder", "target_embedding"}));
}

INSTANTIATE_DEVICES(FreezeTest);

}  // namespace
}  // namespace gloss
