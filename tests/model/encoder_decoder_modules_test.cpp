// An EncoderDecoder of modules that the caller provides.
#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "model/encoder_decoder.h"
#include "tests/support/device_test.h"
#include "tests/support/small_model.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class EncoderDecoderModulesTest : public DeviceTest {
 protected:
  EncoderDecoderModulesTest() {
    modules_.encoder = Encoder(small_config());
    modules_.decoder = Decoder(small_config());
    modules_.source.embedding = modules_.target.embedding = Embedding(20, 16);
    modules_.source.positions = modules_.target.positions = PositionalEncoding(16);
    modules_.generator = Generator(modules_.target.embedding->weight());
  }

  void expect_refused(const std::string& message) const {
    EXPECT_THAT([&] { EncoderDecoder model(modules_); }, ThrowsMessage<Error>(HasSubstr(message)));
  }

  EncoderDecoderModules modules_;
};

TEST_P(EncoderDecoderModulesTest, MakeTheUsualModel) {
  const at::NoGradGuard no_grad;
  EncoderDecoder model(modules_);
  model->to(device());
  auto usual = small_model(device());
  ASSERT_EQ(model->named_parameters().keys(), usual->named_parameters().keys());
  for (auto& item : model->named_parameters()) item.value().copy_(usual->named_parameters()[item.key()]);
  const auto run = [](EncoderDecoder& of) {
    const auto target = shift_target(small_targets(), device()).input;
    return of->generator()->forward(of(pad(small_sources(), device()), target, Pass{}));
  };
  EXPECT_THAT(run(model), SameAs(run(usual)));
}

TEST_P(EncoderDecoderModulesTest, MayShareNothingAndDifferInVocabulary) {
  modules_.target.embedding = Embedding(24, 16);
  modules_.generator = Generator(16, 24);
  const auto names = EncoderDecoder(modules_)->named_parameters();
  EXPECT_TRUE(names.contains("target_embedding.weight"));
  EXPECT_TRUE(names.contains("generator.weight"));
}

TEST_P(EncoderDecoderModulesTest, NoneMayBeMissing) {
  const auto without = [&](auto& module, const std::string& name) {
    auto taken = module;
    module = nullptr;
    expect_refused("EncoderDecoder: " + name + ": wanted a module, got nothing");
    module = taken;
  };
  without(modules_.encoder, "encoder");
  without(modules_.decoder, "decoder");
  without(modules_.source.embedding, "source_embedding");
  without(modules_.target.embedding, "target_embedding");
  without(modules_.source.positions, "source_positions");
  without(modules_.target.positions, "target_positions");
  without(modules_.generator, "generator");
}

TEST_P(EncoderDecoderModulesTest, AllAreOfOneWidth) {
  auto wide = small_config();
  wide.d_model = 32;
  const auto with = [&](auto& module, const auto& other, const std::string& name) {
    const auto taken = module;
    module = other;
    expect_refused("EncoderDecoder: " + name + ": wanted d_model 16 as the encoder has, got 32");
    module = taken;
  };
  with(modules_.decoder, Decoder(wide), "decoder");
  with(modules_.source.embedding, Embedding(20, 32), "source_embedding");
  with(modules_.target.embedding, Embedding(20, 32), "target_embedding");
  with(modules_.source.positions, PositionalEncoding(32), "source_positions");
  with(modules_.target.positions, PositionalEncoding(32), "target_positions");
  modules_.generator = Generator(32, 20);
  expect_refused("EncoderDecoder: generator's weight: wanted [20, 16], got [20, 32]");
}

TEST_P(EncoderDecoderModulesTest, TheGeneratorHasTheTargetsVocabulary) {
  modules_.generator = Generator(16, 24);
  expect_refused("EncoderDecoder: generator's weight: wanted [20, 16], got [24, 16]");
}

// Such a weight would be no parameter of the model: never trained, saved or moved.
TEST_P(EncoderDecoderModulesTest, ABorrowedWeightIsTheTargetEmbeddings) {
  const auto borrows_another = "EncoderDecoder: generator: wanted a weight of its own or target_embedding's";
  modules_.generator = Generator(formula_tensor({20, 16}));
  expect_refused(borrows_another);
  modules_.target.embedding = Embedding(20, 16);
  modules_.generator = Generator(modules_.source.embedding->weight());
  expect_refused(borrows_another);
  modules_.generator = Generator(modules_.target.embedding->weight());
  EXPECT_NO_THROW(EncoderDecoder{modules_});
}

INSTANTIATE_DEVICES(EncoderDecoderModulesTest);

}  // namespace
}  // namespace gloss
