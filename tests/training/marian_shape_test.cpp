// Training of networks in Marian's shape: a recurrence in the decoder, and a decoder that starts from zero.
#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/special_ids.h"
#include "tests/support/tensor_matchers.h"
#include "tests/training/trainer_test.h"

namespace gloss {
namespace {

class MarianShapeTest : public TrainerTest {
 protected:
  static ToyOptions toy_options(TieEmbeddings tie = TieEmbeddings::kAll) {
    return {.vocabulary = 8,
            .pairs = 200,
            .max_words = 3,
            .batch_tokens = 128,
            .d_model = 32,
            .tie_embeddings = tie,
            .decoder_layer = DecoderLayerType::kSsru,
            .decoder_start = DecoderStart::kZero};
  }
  Trainer::Options options(std::int64_t max_steps) {
    auto options = toy_.options();
    options.config.max_steps = max_steps;
    options.config.label_smoothing = 0.1;
    options.config.learning_rate = 0.004;
    return options;
  }
  void expect_unread_rows_are_zero(TieEmbeddings tie) {
    const auto weights = weights_of(model_);
    const auto& matrix = weights.at(tie == TieEmbeddings::kAll ? "source_embedding.weight" : "target_embedding.weight");
    for (const auto id : {kPad, kBos}) EXPECT_THAT(matrix[id], SameAs(at::zeros({32}))) << id;
    const auto before = weights_of(toy_.model());
    for (const auto& [name, weight] : weights) EXPECT_FALSE(weight.equal(before.at(name))) << name;
  }
};

TEST_P(MarianShapeTest, LearnsToCopy) {
  toy_ = Toy(toy_options(), device());
  run(options(300));
  EXPECT_GT(reports_.front().loss, 1.5);
  EXPECT_LT(reports_.back().loss, 0.1);
  expect_unread_rows_are_zero(TieEmbeddings::kAll);
}

TEST_P(MarianShapeTest, RowsOfPadAndBosStayZeroOnEveryPath) {
  for (const auto tie : {TieEmbeddings::kAll, TieEmbeddings::kDecoder, TieEmbeddings::kNone}) {
    toy_ = Toy(toy_options(tie), device());
    for (const bool plain : {false, true}) {
      auto several = options(4);
      several.plain = plain;
      several.config.shards = plain ? 1 : 4;
      several.config.accumulate = 2;
      several.config.ema_decay = plain ? 0.5 : 0;
      several.checkpoints = toy_.checkpoints() / (plain ? "plain" : "fast");
      run(several);
      expect_unread_rows_are_zero(tie);
    }
  }
}

INSTANTIATE_DEVICES(MarianShapeTest);

}  // namespace
}  // namespace gloss
