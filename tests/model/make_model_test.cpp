#include "model/make_model.h"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/device_test.h"
#include "tests/support/small_model.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using ::testing::UnorderedElementsAreArray;

class MakeModelTest : public DeviceTest {
 protected:
  static std::vector<std::string> names(const ModelConfig& config) {
    return make_uninitialized_model(config, {20, 20})->named_parameters().keys();
  }
};

// As docs/file_formats.md lists them.
std::vector<std::string> names_of_one_layer() {
  std::vector<std::string> names{"source_embedding.weight", "generator.bias"};
  const auto add = [&](const std::string& part) {
    names.push_back(part + ".weight");
    names.push_back(part + ".bias");
  };
  for (const std::string layer : {"encoder.layers.0", "decoder.layers.0"}) {
    for (const std::string part : {".query", ".key", ".value", ".output"}) {
      add(layer + ".self_attention" + part);
      if (layer.starts_with("decoder")) add(layer + ".cross_attention" + part);
    }
    add(layer + ".feed_forward.inner");
    add(layer + ".feed_forward.outer");
    add(layer + ".self_attention_norm");
    if (layer.starts_with("decoder")) add(layer + ".cross_attention_norm");
    add(layer + ".feed_forward_norm");
  }
  return names;
}

TEST_P(MakeModelTest, TensorsHaveTheNamesOfTheFile) {
  auto config = small_config();
  config.encoder_layers = config.decoder_layers = 1;
  config.final_norm = false;
  auto wanted = names_of_one_layer();
  EXPECT_THAT(names(config), UnorderedElementsAreArray(wanted));

  config.final_norm = true;
  wanted.insert(wanted.end(), {"encoder.norm.weight", "encoder.norm.bias", "decoder.norm.weight", "decoder.norm.bias"});
  EXPECT_THAT(names(config), UnorderedElementsAreArray(wanted));

  config.tie_embeddings = TieEmbeddings::kDecoder;
  wanted.push_back("target_embedding.weight");
  EXPECT_THAT(names(config), UnorderedElementsAreArray(wanted));

  config.tie_embeddings = TieEmbeddings::kNone;
  config.positions = Positions::kLearned;
  wanted.insert(wanted.end(), {"generator.weight", "source_positions.weight", "target_positions.weight"});
  EXPECT_THAT(names(config), UnorderedElementsAreArray(wanted));
}

TEST_P(MakeModelTest, EveryWeightIsThereOnceAndHasAGradient) {
  for (const auto& config : all_networks()) {
    auto model = small_model(device(), config);
    std::set<void*> storages;
    for (const auto& parameter : model->parameters()) EXPECT_TRUE(storages.insert(parameter.data_ptr()).second);
    const auto source = pad(small_sources(), device());
    auto generator = model->generator();
    generator(model(source, shift_target(small_targets(), device()).input, Pass{})).select(-1, 5).sum().backward();
    for (const auto& item : model->named_parameters()) {
      // The statistics of batch norms are saved as weights are, but not trained.
      const bool trained = item.key().find(".running_") == std::string::npos;
      EXPECT_EQ(item.value().requires_grad(), trained) << item.key();
      // Location scores do not read the keys.
      const bool used =
          config.attention_score != AttentionScore::kLocation || item.key().find(".key.") == std::string::npos;
      EXPECT_EQ(item.value().grad().defined(), trained && used) << item.key() << " of " << describe(config);
    }
  }
}

TEST_P(MakeModelTest, ADecoderThatStartsFromZeroHasTwoRowsThatAreNotTrained) {
  for (const auto tie : {TieEmbeddings::kAll, TieEmbeddings::kDecoder, TieEmbeddings::kNone}) {
    auto config = small_config();
    config.tie_embeddings = tie;
    config.decoder_start = DecoderStart::kZero;
    auto model = make_model(config, {20, 20}, RandomStream(7, "weights"));
    model->to(at::kDouble);
    model->to(device(), at::kFloat);
    const auto target = shift_target(small_targets(), device()).input;
    model->generator()->forward(model(pad(small_sources(), device()), target, Pass{})).select(-1, 5).sum().backward();
    const auto embedding =
        model->named_parameters()[tie == TieEmbeddings::kAll ? "source_embedding.weight" : "target_embedding.weight"];
    for (const auto id : {0, 2}) {
      EXPECT_THAT(embedding[id], SameAs(at::zeros({16}, device())));
      EXPECT_THAT(embedding.grad()[id], SameAs(at::zeros({16}, device())));
    }
    EXPECT_GT(embedding[1].norm().item<double>(), 0);
    EXPECT_GT(embedding.grad()[12].norm().item<double>(), 0);
    // Another matrix of the generator has a row for every piece.
    if (tie == TieEmbeddings::kNone) {
      EXPECT_GT(model->generator()->weight().grad()[2].norm().item<double>(), 0);
    }
  }
}

TEST_P(MakeModelTest, TiedWeightsStayOneWhenTheModelMoves) {
  for (const auto tie : {TieEmbeddings::kAll, TieEmbeddings::kDecoder}) {
    auto config = small_config();
    config.tie_embeddings = tie;
    auto model = make_model(config, {20, 20}, RandomStream(7, "weights"));
    model->to(at::kDouble);  // moves every tensor, on a machine without a second device too
    model->to(device(), at::kFloat);
    const auto embedding =
        model->named_parameters()[tie == TieEmbeddings::kAll ? "source_embedding.weight" : "target_embedding.weight"];
    EXPECT_EQ(model->generator()->weight().data_ptr(), embedding.data_ptr());
    const at::NoGradGuard no_grad;
    embedding.fill_(0.25);
    EXPECT_EQ(model->generator()->weight().sum().item<float>(), 0.25 * 20 * 16);
  }
}

TEST_P(MakeModelTest, SeparateWeightsAreNotTied) {
  auto config = small_config();
  config.tie_embeddings = TieEmbeddings::kNone;
  auto model = make_model(config, {20, 24}, RandomStream(7, "weights"));
  EXPECT_EQ(model->generator()->weight().size(0), 24);
  EXPECT_FALSE(model->generator()->weight().is_same(model->named_parameters()["target_embedding.weight"]));
}

TEST_P(MakeModelTest, RejectsOneEmbeddingForTwoVocabularies) {
  EXPECT_THAT(
      [] {
        make_uninitialized_model(small_config(), {20, 24});
      },
      ThrowsMessage<UsageError>(HasSubstr("model.tie_embeddings: wanted decoder or none")));
  EXPECT_THAT(
      [] {
        make_uninitialized_model(small_config(), {3, 3});
      },
      ThrowsMessage<UsageError>(HasSubstr("vocabulary: wanted at least 4")));
}

INSTANTIATE_DEVICES(MakeModelTest);

}  // namespace
}  // namespace gloss
