#include <string>
#include <vector>

#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/alternatives/positions.h"
#include "model/attention.h"
#include "model/decoder.h"
#include "model/encoder.h"
#include "model/fast/fast_attention.h"
#include "model/feed_forward.h"
#include "model/layer_norm.h"
#include "model/make_model.h"
#include "model/multi_head_attention.h"
#include "model/positional_encoding.h"
#include "tests/model/golden/golden_case.h"
#include "tests/support/device_test.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

using Lengths = std::vector<std::int64_t>;

/// Every part of the model against PyTorch, forward and gradient: tests/golden/model.py, record_parts().
class PartsGoldenTest : public DeviceTest {
 protected:
  static at::Tensor x() { return named_input({2, 5, 8}, "x", device()); }
  static at::Tensor memory() { return named_input({2, 6, 8}, "memory", device()); }
  static ModelConfig layer_config(NormPlace norm, Activation activation) {
    ModelConfig config;
    config.d_model = 8;
    config.d_ff = 12;
    config.heads = 2;
    config.dropout = 0;
    config.norm = norm;
    config.activation = activation;
    return config;
  }
  static std::string text(NormPlace norm) { return norm == NormPlace::kPre ? "pre" : "post"; }
  static std::string text(Activation activation) { return activation == Activation::kRelu ? "relu" : "gelu"; }

  const Golden golden_{"model_golden.safetensors"};
  const Lengths lengths_{5, 3}, memory_lengths_{4, 6};
};

TEST_P(PartsGoldenTest, Attention) {
  struct Case {
    std::string name;
    Mask mask;
    std::int64_t keys = 5;
  };
  const auto hidden = at::tensor({0, 1, 0, 0, 0, 1, 0, 0, 1, 0}).view({2, 5}).to(device(), at::kBool);
  const Case cases[] = {{"plain", Mask::unmasked()},
                        {"padded", Mask::padding({5, 3})},
                        {"causal", Mask::causal()},
                        {"causal_padded", Mask::causal({5, 3})},
                        {"cross", Mask::padding({4, 6}), 6},
                        {"blind", Mask::padding({5, 0})},
                        {"hidden", Mask::padding({5, 4}).hiding(hidden)}};
  for (const auto& [name, mask, keys] : cases) {
    const NamedTensors inputs{{"query", named_input({2, 2, 5, 4}, "query", device())},
                              {"key", named_input({2, 2, keys, 4}, "key", device())},
                              {"value", named_input({2, 2, keys, 4}, "value", device())}};
    const auto &query = inputs.at("query"), &key = inputs.at("key"), &value = inputs.at("value");
    const Pass pass;
    for (const auto attend : {attention, fused_attention})
      expect_golden(golden_, "attention." + name, attend(query, key, value, mask, {pass, "site", 0}), inputs);
  }
}

TEST_P(PartsGoldenTest, Sinusoids) {
  EXPECT_THAT(sinusoids(0, 50, 8), AllClose(golden_.tensor("sinusoids.8", at::kCPU), 1e-7));
  const auto some = golden_.tensor("sinusoids.512", device());  // every 17th column
  EXPECT_THAT(PositionalEncoding(512)(0, 50, device()).slice(1, 0, 512, 17), AllClose(some, 1e-7));
  EXPECT_THAT(PositionalEncoding(512)(9, 3, device()).slice(1, 0, 512, 17), AllClose(some.narrow(0, 9, 3), 1e-7));
}

TEST_P(PartsGoldenTest, LearnedPositions) {
  LearnedPositions positions(8, 6);
  const auto weights = set_named_weights(positions, "target_positions.", device());
  expect_golden(golden_, "learned_positions", positions.forward(2, 4, device()), weights);
}

TEST_P(PartsGoldenTest, LayerNorm) {
  LayerNorm norm(8);
  auto inputs = set_named_weights(*norm, "encoder.norm.", device());
  inputs["x"] = x();
  expect_golden(golden_, "layer_norm", norm(inputs["x"], Pass{}), inputs);
}

TEST_P(PartsGoldenTest, MultiHeadAttention) {
  MultiHeadAttention part(8, 2, 0.0);
  for (const auto& [path, pass] : both_paths()) {
    SCOPED_TRACE(path);
    auto inputs = set_named_weights(*part, "decoder.layers.0.self_attention.", device());
    const auto x = inputs["x"] = PartsGoldenTest::x();
    expect_golden(golden_, "multi_head_attention.padded",
                  real_positions(part(x, x, Mask::padding(lengths_), pass), lengths_), inputs);
    expect_golden(golden_, "multi_head_attention.causal",
                  real_positions(part(x, x, Mask::causal(lengths_), pass), lengths_), inputs);
    const auto memory = inputs["memory"] = PartsGoldenTest::memory();
    expect_golden(golden_, "multi_head_attention.cross", part(x, memory, Mask::padding(memory_lengths_), pass), inputs);
  }
}

TEST_P(PartsGoldenTest, FeedForward) {
  for (const auto activation : {Activation::kRelu, Activation::kGelu}) {
    FeedForward part = make_feed_forward(layer_config(NormPlace::kPre, activation), 12);
    auto inputs = set_named_weights(*part, "encoder.layers.0.feed_forward.", device());
    inputs["x"] = x();
    expect_golden(golden_, "feed_forward." + text(activation), part(inputs["x"], Pass{}), inputs);
  }
}

TEST_P(PartsGoldenTest, EncoderLayer) {
  for (const auto norm : {NormPlace::kPre, NormPlace::kPost}) {
    for (const auto activation : {Activation::kRelu, Activation::kGelu}) {
      EncoderLayer layer(layer_config(norm, activation));
      for (const auto& [path, pass] : both_paths()) {
        SCOPED_TRACE(path);
        auto inputs = set_named_weights(*layer, "encoder.layers.0.", device());
        const auto x = inputs["x"] = PartsGoldenTest::x();
        expect_golden(golden_, "encoder_layer." + text(norm) + "." + text(activation),
                      real_positions(layer(x, Mask::padding(lengths_), pass), lengths_), inputs);
      }
    }
  }
}

TEST_P(PartsGoldenTest, DecoderLayer) {
  for (const auto norm : {NormPlace::kPre, NormPlace::kPost}) {
    for (const auto activation : {Activation::kRelu, Activation::kGelu}) {
      DecoderLayer layer(layer_config(norm, activation));
      for (const auto& [path, pass] : both_paths()) {
        SCOPED_TRACE(path);
        auto inputs = set_named_weights(*layer, "decoder.layers.0.", device());
        const auto x = inputs["x"] = PartsGoldenTest::x(), memory = inputs["memory"] = PartsGoldenTest::memory();
        const Memory encoded{memory, Mask::padding(memory_lengths_)};
        expect_golden(golden_, "decoder_layer." + text(norm) + "." + text(activation),
                      real_positions(layer(x, encoded, Mask::causal(lengths_), pass), lengths_), inputs);
      }
    }
  }
}

INSTANTIATE_DEVICES(PartsGoldenTest);

}  // namespace
}  // namespace gloss
