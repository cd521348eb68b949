#include <string>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/stack.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/make_model.h"
#include "tensor/caching_allocator.h"
#include "tests/model/golden/golden_case.h"
#include "tests/support/device_test.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

/// The whole model in each of the 48 combinations against PyTorch: tests/golden/model.py, record_models().
class ModelGoldenTest : public DeviceTest {
 protected:
  static void SetUpTestSuite() { use_caching_allocator(); }  // as the program does
  ModelGoldenTest() { at::set_num_threads(1); }              // a second one has nothing to do at these sizes

  struct Combination {
    std::string name;
    ModelConfig config;
    Vocabularies vocabularies;
  };

  static std::vector<Combination> combinations();

  const Golden golden_{"model_golden.safetensors"};
};

std::vector<ModelGoldenTest::Combination> ModelGoldenTest::combinations() {
  std::vector<Combination> result;
  const auto add = [&](const Json& chosen) {
    ModelConfig config = read_model_config(ConfigSection(chosen, "model"));
    config.encoder_layers = config.decoder_layers = 2;
    config.d_model = 8;
    config.d_ff = 12;
    config.heads = 2;
    config.max_positions = 7;
    config.dropout = 0;
    const auto value = [&](const char* key) { return chosen.at(key).get<std::string>(); };
    const auto name = "model." + value("norm") + (chosen.at("final_norm") ? ".final_norm." : ".no_final_norm.") +
                      value("tie_embeddings") + "." + value("positions") + "." + value("activation");
    result.push_back({name, config, {value("tie_embeddings") == "all" ? 11 : 13, 11}});
  };
  for (const auto* norm : {"pre", "post"}) {
    for (const bool final_norm : {true, false}) {
      for (const auto* tie : {"all", "decoder", "none"}) {
        for (const auto* positions : {"sinusoidal", "learned"}) {
          for (const auto* activation : {"relu", "gelu"}) {
            add({{"norm", norm},
                 {"final_norm", final_norm},
                 {"tie_embeddings", tie},
                 {"positions", positions},
                 {"activation", activation}});
          }
        }
      }
    }
  }
  return result;
}

TEST_P(ModelGoldenTest, LogProbabilitiesAndEveryGradientInEveryCombination) {
  ASSERT_EQ(combinations().size(), 48U);
  const RandomStream random(1, "dropout");
  auto passes = both_paths();
  passes["training"] = {.training = true, .random = &random};
  for (const auto& [name, config, vocabularies] : combinations()) {
    auto model = make_uninitialized_model(config, vocabularies);
    const auto weights = set_named_weights(*model, "", device());
    for (const auto& [path, pass] : passes) {
      SCOPED_TRACE(path);
      expect_golden(golden_, name, log_probabilities(model, pass), weights);
    }
  }
}

TEST_P(ModelGoldenTest, StepsGiveTheSameLogProbabilities) {
  const at::NoGradGuard no_grad;
  const auto source = pad(golden_sources(), device());
  const auto input = shift_target(golden_targets(), device()).input;
  for (const auto& [name, config, vocabularies] : combinations()) {
    auto model = make_uninitialized_model(config, vocabularies);
    set_named_weights(*model, "", device());
    auto generator = model->generator();
    auto cache = model->start(model->encode(source, {}), Mask::padding(source.lengths), {});
    std::vector<at::Tensor> steps;
    for (std::int64_t t = 0; t < input.ids.size(1); ++t) {
      steps.push_back(generator(model->step(input.ids.narrow(1, t, 1), cache, {})));  // [B, V]
    }
    EXPECT_THAT(real_positions(at::stack(steps, 1), input.lengths), AllClose(golden_.tensor(name, device()), 1e-5))
        << name;
  }
}

INSTANTIATE_DEVICES(ModelGoldenTest);

}  // namespace
}  // namespace gloss
