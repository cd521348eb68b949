// EncoderDecoder of parts that a caller hands over.
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

class EncoderDecoderPartsTest : public DeviceTest {
 protected:
  EncoderDecoderPartsTest() {
    parts_.encoder = Encoder(small_config());
    parts_.decoder = Decoder(small_config());
    parts_.source_embedding = parts_.target_embedding = Embedding(20, 16);
    parts_.source_positions = parts_.target_positions = PositionalEncoding(16);
    parts_.generator = Generator(parts_.target_embedding->weight());
  }

  void expect_refused(const std::string& message) const {
    EXPECT_THAT([&] { EncoderDecoder model(parts_); }, ThrowsMessage<Error>(HasSubstr(message)));
  }

  EncoderDecoderParts parts_;
};

TEST_P(EncoderDecoderPartsTest, MakeTheUsualModel) {
  const at::NoGradGuard no_grad;
  EncoderDecoder model(parts_);
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

TEST_P(EncoderDecoderPartsTest, MayShareNothingAndDifferInVocabulary) {
  parts_.target_embedding = Embedding(24, 16);
  parts_.generator = Generator(16, 24);
  const auto names = EncoderDecoder(parts_)->named_parameters();
  EXPECT_TRUE(names.contains("target_embedding.weight"));
  EXPECT_TRUE(names.contains("generator.weight"));
}

TEST_P(EncoderDecoderPartsTest, NoneMayBeMissing) {
  const auto without = [&](auto& part, const std::string& name) {
    auto taken = part;
    part = nullptr;
    expect_refused("EncoderDecoder: " + name + ": wanted a part, got nothing");
    part = taken;
  };
  without(parts_.encoder, "encoder");
  without(parts_.decoder, "decoder");
  without(parts_.source_embedding, "source_embedding");
  without(parts_.target_embedding, "target_embedding");
  without(parts_.source_positions, "source_positions");
  without(parts_.target_positions, "target_positions");
  without(parts_.generator, "generator");
}

TEST_P(EncoderDecoderPartsTest, AllAreOfOneWidth) {
  auto wide = small_config();
  wide.d_model = 32;
  const auto with = [&](auto& part, const auto& other, const std::string& name) {
    const auto taken = part;
    part = other;
    expect_refused("EncoderDecoder: " + name + ": wanted d_model 16 as the encoder has, got 32");
    part = taken;
  };
  with(parts_.decoder, Decoder(wide), "decoder");
  with(parts_.source_embedding, Embedding(20, 32), "source_embedding");
  with(parts_.target_embedding, Embedding(20, 32), "target_embedding");
  with(parts_.source_positions, PositionalEncoding(32), "source_positions");
  with(parts_.target_positions, PositionalEncoding(32, 8), "target_positions");
  parts_.generator = Generator(32, 20);
  expect_refused("EncoderDecoder: generator's weight: wanted [20, 16], got [20, 32]");
}

TEST_P(EncoderDecoderPartsTest, TheGeneratorSaysTheTargetsVocabulary) {
  parts_.generator = Generator(16, 24);
  expect_refused("EncoderDecoder: generator's weight: wanted [20, 16], got [24, 16]");
}

// Such a weight would be no parameter of the model: never trained, saved or moved.
TEST_P(EncoderDecoderPartsTest, ABorrowedWeightIsTheTargetEmbeddings) {
  const auto borrows_another = "EncoderDecoder: generator: wanted a weight of its own or target_embedding's";
  parts_.generator = Generator(formula_tensor({20, 16}));
  expect_refused(borrows_another);
  parts_.target_embedding = Embedding(20, 16);
  parts_.generator = Generator(parts_.source_embedding->weight());
  expect_refused(borrows_another);
  parts_.generator = Generator(parts_.target_embedding->weight());
  EXPECT_NO_THROW(EncoderDecoder{parts_});
}

INSTANTIATE_DEVICES(EncoderDecoderPartsTest);

}  // namespace
}  // namespace gloss
