// A plain pass through the whole model: the equations alone run, and they give the numbers of the fast twins.
#include <map>
#include <set>
#include <string>
#include <vector>

#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/function.h>

#include "tests/support/device_test.h"
#include "tests/support/recorded_operations.h"
#include "tests/support/small_model.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// Names of the operations that a result was computed by, as its gradient knows them; those of gloss have the name of
/// its namespace.
std::set<std::string> names_of(const at::Tensor& result) {
  std::set<const torch::autograd::Node*> seen;
  std::vector<const torch::autograd::Node*> open{result.grad_fn().get()};
  std::set<std::string> names;
  while (!open.empty()) {
    const auto* node = open.back();
    open.pop_back();
    if (node == nullptr || !seen.insert(node).second) continue;
    names.insert(node->name());
    for (const auto& edge : node->next_edges()) open.push_back(edge.function.get());
  }
  return names;
}

class PlainPassTest : public DeviceTest {
 protected:
  at::Tensor log_probabilities(EncoderDecoder& model, const Pass& pass) {
    const auto target = shift_target(small_targets(), device());
    return model->generator()->forward(model->forward(pad(small_sources(), device()), target.input, pass));
  }

  /// The result, and every gradient.
  std::map<std::string, at::Tensor> results(const ModelConfig& config, const Pass& pass) {
    auto model = small_model(device(), config);
    const auto result = log_probabilities(model, pass);
    result.select(-1, 5).sum().backward();
    std::map<std::string, at::Tensor> all{{"result", result.detach()}};
    for (const auto& item : model->named_parameters()) all[item.key()] = item.value().grad();
    return all;
  }

  const RandomStream stream_{3, "dropout"};
};

TEST_P(PlainPassTest, EqualsTheFastPassForwardAndGradient) {
  for (const auto& config : all_networks()) {
    for (const bool training : {false, true}) {
      if (training && !device().is_cpu()) continue;  // where LibTorch draws what the fast pass drops
      SCOPED_TRACE(describe(config) + (training ? ", training" : ""));
      // Without a norm that bounds the values, large scores amplify rounding from layer to layer, gradients most.
      const bool bounded = config.norm_type != NormType::kNone && (config.norm_type != NormType::kBatch || training);
      const auto fast = results(config, {.training = training, .random = &stream_});
      for (const auto& [name, got] : results(config, {.training = training, .random = &stream_, .plain = true})) {
        ASSERT_EQ(got.defined(), fast.at(name).defined()) << name;
        if (got.defined() && (bounded || name == "result")) {  // weights that are not trained or read have no gradient
          EXPECT_THAT(got, AllClose(fast.at(name), bounded ? 2e-5 : 1e-3)) << name;
        }
      }
    }
  }
}

TEST_P(PlainPassTest, RunsOperatorsOfLibTorchThatArePartsOfTheEquationsOnly) {
  auto model = small_model(device());
  const auto run = [&](bool plain) {
    const Pass pass{.training = true, .random = &stream_, .plain = plain};
    return names_of(log_probabilities(model, pass));
  };
  EXPECT_THAT(run(true), Not(Contains(HasSubstr("gloss"))));
  if (device().is_cpu()) {
    EXPECT_THAT(run(false), Contains(HasSubstr("gloss")));
  }
  for (const bool training : {false, true}) {
    const at::NoGradGuard no_grad;
    const RecordedOperations operations;
    log_probabilities(model, {.training = training, .random = &stream_, .plain = true});
    EXPECT_TRUE(operations.has("aten::softmax"));
    for (const auto* fused : {"aten::scaled_dot_product_attention", "aten::layer_norm", "aten::dropout"})
      EXPECT_FALSE(operations.has(fused)) << fused;
  }
}

TEST_P(PlainPassTest, StepsEqualTheWholeForward) {
  const at::NoGradGuard no_grad;
  const Pass plain{.plain = true};
  auto model = small_model(device());
  const auto source = pad(small_sources(), device());
  const auto input = shift_target(small_targets(), device()).input;
  const auto mask = Mask::padding(source.lengths);
  const auto memory = model->encode(source, plain);
  const auto whole = model->decode(input, memory, mask, plain);
  const RecordedOperations operations;
  auto cache = model->start(memory, mask, plain);
  for (std::int64_t t = 0; t < input.ids.size(1); ++t)
    EXPECT_THAT(model->step(input.ids.narrow(1, t, 1), cache, plain), AllClose(whole.select(1, t), 1e-5)) << t;
  EXPECT_FALSE(operations.has("aten::scaled_dot_product_attention"));
  EXPECT_FALSE(operations.has("aten::layer_norm"));
}

INSTANTIATE_DEVICES(PlainPassTest);

}  // namespace
}  // namespace gloss
