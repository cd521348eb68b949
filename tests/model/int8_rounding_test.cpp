#include "model/int8_rounding.h"

#include <optional>
#include <utility>
#include <vector>

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/special_ids.h"
#include "model/inference/inference_model.h"
#include "model/linear.h"
#include "model/storage/model_file.h"
#include "tests/support/device_test.h"
#include "tests/support/formula_tensor.h"
#include "tests/support/small_model.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

constexpr auto kKinds = {Int8Scales::kRows, Int8Scales::kMatrix};

at::Tensor weight() {
  const auto values = formula_tensor({5, 12}, at::kCPU);
  values[1] *= 0.01;
  values[3].zero_();
  return values;
}

TEST(Int8RoundingTest, ARoundedWeightIsTheStoredOne) {
  for (const auto kind : kKinds) {
    const auto stored = to_int8(weight(), kind);
    EXPECT_TRUE(rounded_weight(weight(), kind).equal(stored.to_float()));
    EXPECT_TRUE(to_int8(stored.to_float(), kind).values.equal(stored.values)) << "rounded again";
    const bool has_one = stored.scales.eq(stored.scales[0]).all().item<bool>();
    EXPECT_EQ(has_one, kind == Int8Scales::kMatrix);
  }
  EXPECT_TRUE(rounded_weight(weight(), Int8Scales::kNone).equal(weight()));
  EXPECT_TRUE(rounded_inputs(weight(), Int8Scales::kNone).equal(weight()));
}

TEST(Int8RoundingTest, ALinearMapIsTheProductInInt8) {
  const at::NoGradGuard no_grad;
  Linear linear(12, 5);
  linear->weight().copy_(weight());
  linear->bias().copy_(formula_tensor({5}, at::kCPU, 2));
  auto x = formula_tensor({7, 12}, at::kCPU, 3);
  x[2].zero_();
  const PackedLinear packed(LinearWeights{linear->weight(), linear->bias()}, kernels::Precision::kInt8);
  const auto wanted = at::empty({7, 5});
  packed.apply({x.const_data_ptr<float>(), 12}, 7, {wanted.mutable_data_ptr<float>(), 5});
  for (const bool plain : {false, true})
    EXPECT_THAT(linear(x, Pass{.plain = plain, .int8 = Int8Scales::kRows}), AllClose(wanted, 1e-5)) << plain;
}

class Int8PassTest : public DeviceTest {};

TEST_P(Int8PassTest, RoundsOnADeviceAsOnTheCpu) {
  for (const auto kind : kKinds) {
    EXPECT_THAT(rounded_weight(weight().to(device()), kind), AllClose(rounded_weight(weight(), kind), 1e-6));
    EXPECT_THAT(rounded_inputs(weight().to(device()), kind), AllClose(rounded_inputs(weight(), kind), 1e-6));
  }
}

TEST_P(Int8PassTest, GradientsGoThroughTheRounding) {
  for (const auto kind : kKinds)
    for (const bool plain : {false, true}) {
      Linear linear(12, 5);
      linear->to(device());
      {
        const at::NoGradGuard no_grad;
        linear->weight().copy_(weight());
      }
      const auto x = formula_tensor({7, 12}, device(), 3).requires_grad_(),
                 factor = formula_tensor({7, 5}, device(), 4);
      (linear(x, Pass{.plain = plain, .int8 = kind}) * factor).sum().backward();
      const at::NoGradGuard no_grad;
      EXPECT_THAT(x.grad(), AllClose(factor.matmul(rounded_weight(linear->weight(), kind)), 1e-5));
      EXPECT_THAT(linear->weight().grad(), AllClose(factor.t().matmul(rounded_inputs(x, kind)), 1e-5));
    }
}

/// The passes of a whole network with gradients: the fast path, and the equations alone.
TEST_P(Int8PassTest, FastAndPlainPassesAgree) {
  for (auto config : {small_config(), marian_student()}) {
    config.dropout = 0;
    auto model = small_model(device(), config);
    const auto source = pad(small_sources(), device()),
               target = pad(Rows{{kBos, 12}, {kBos, 14, 15}, {kBos}}, device());
    for (const auto kind : kKinds) {
      const auto exact = model->forward(source, target, Pass{}).detach();
      const auto fast = model->forward(source, target, Pass{.int8 = kind}).detach();
      const auto plain = model->forward(source, target, Pass{.plain = true, .int8 = kind}).detach();
      const auto difference = [](const at::Tensor& a, const at::Tensor& b) {
        return (a - b).abs().mean().item<double>();
      };
      EXPECT_GT(difference(fast, exact), 1e-3) << "nothing was rounded";
      EXPECT_LT(difference(fast, plain), 0.05 * difference(fast, exact)) << "a tie may fall otherwise";
    }
  }
}

/// A converted model in int8 computes what the tuned model does, except for ties that fall otherwise.
TEST(Int8RoundingTest, AConvertedModelComputesTheTunedForwardPass) {
  const at::NoGradGuard no_grad;
  const TemporaryFolder folder;
  for (const auto& [kind, name] : {std::pair(Int8Scales::kRows, "int8"), std::pair(Int8Scales::kMatrix, "int8_matrix")})
    for (const auto& config : {small_config(), marian_student()}) {
      SCOPED_TRACE(name);
      auto model = small_model(at::kCPU, config);
      const auto path = folder / "model.safetensors";
      write_model_file(path, model,
                       {{{"model", to_json(config)}, {"training", {{"quantize", name}}}},
                        Json::object(),
                        {{"tokenizer.model", "pieces"}}},
                       WeightPrecision::kInt8);
      const auto stored = open_model_file(SafetensorsFile::open_in_place(path), at::kCPU);
      const InferenceModel inference(stored.model, config, kernels::Precision::kInt8);
      const auto source = pad(small_sources(), at::kCPU);
      const Rows targets = {{kBos, 12, 13}, {kBos, 14, 15}, {kBos, 16, 17}};
      const auto logits = [&](const Pass& pass) {
        return model->generator()->logits(model->forward(source, pad(targets, at::kCPU), pass), pass.int8);
      };
      const auto tuned = logits({.int8 = kind}), exact = logits({});
      auto state = inference.start(source);
      double error = 0, rounding = 0;
      for (std::int64_t t = 0; t < 3; ++t) {
        Ids tokens;
        for (const auto& row : targets) tokens.push_back(row[static_cast<std::size_t>(t)]);
        const auto got = inference.logits(inference.step(state, tokens, std::nullopt).x).logits;
        error += (got - tuned.select(1, t)).abs().sum().item<double>();
        rounding += (exact.select(1, t) - tuned.select(1, t)).abs().sum().item<double>();
      }
      EXPECT_LT(error, 0.1 * rounding);
    }
}

INSTANTIATE_DEVICES(Int8PassTest);

}  // namespace
}  // namespace gloss
