#include <limits>

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "model/storage/stored_weights.h"
#include "tensor/runtime.h"
#include "tests/support/device_test.h"
#include "tests/support/small_model.h"
#include "tests/support/temporary_folder.h"
#include "tests/training/toy_run.h"
#include "training/checkpoint.h"
#include "training/update.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
using testing::ThrowsMessage;

class CheckpointTensorsTest : public DeviceTest {
 protected:
  // Two weights; each tensor of the file has another number.
  Adam adam(float first) const {
    std::map<std::string, at::Tensor> weights;
    for (const auto* name : {"a.weight", "b.weight"})
      weights[name] = at::full({2, 3}, first++, at::TensorOptions().device(device())).requires_grad_();
    Adam adam({weights.begin(), weights.end()}, TrainingConfig{});
    const at::NoGradGuard no_grad;
    for (const auto& slot : adam.slots()) {
      slot.m.fill_(first++);
      slot.v.fill_(first++);
    }
    return adam;
  }
  SafetensorsFile write(const std::map<std::string, at::Tensor>& tensors) const {
    std::map<std::string, at::Tensor> kept;
    std::map<std::string, TensorView> views;
    for (const auto& [name, tensor] : tensors) {
      kept[name] = tensor.detach().cpu().contiguous();
      views.emplace(name, view_of(kept[name]));
    }
    write_safetensors(folder_.path() / "file", views, {});
    return SafetensorsFile::open(folder_.path() / "file");
  }
  static std::map<std::string, float> numbers(const Adam& adam) {
    std::map<std::string, float> numbers;
    for (const auto& [name, tensor] : checkpoint_tensors(adam)) numbers[name] = tensor.mean().item<float>();
    return numbers;
  }

  TemporaryFolder folder_;
};

TEST_P(CheckpointTensorsTest, ContainWeightsAndBothAverages) {
  EXPECT_THAT(checkpoint_tensors(adam(1)),
              ElementsAre(Key("a.weight"), Key("adam.m.a.weight"), Key("adam.m.b.weight"), Key("adam.v.a.weight"),
                          Key("adam.v.b.weight"), Key("b.weight")));
}

TEST_P(CheckpointTensorsTest, EmaIsSavedForTrainedWeightsAndUsedForTranslating) {
  const auto trained = at::full({2}, 1.0F, at::TensorOptions().device(device())).requires_grad_();
  const auto frozen = at::full({2}, 2.0F, at::TensorOptions().device(device()));
  TrainingConfig config;
  config.ema_decay = 0.9;
  Adam adam({{"a.weight", trained}, {"b.weight", frozen}}, config);
  const auto tensors = checkpoint_tensors(adam);
  EXPECT_THAT(tensors, ElementsAre(Key("a.weight"), Key("adam.m.a.weight"), Key("adam.v.a.weight"), Key("b.weight"),
                                   Key("ema.a.weight")));
  tensors.at("ema.a.weight").fill_(5);
  const auto file = write(tensors);
  tensors.at("ema.a.weight").fill_(9);
  restore_weights(adam, file);
  EXPECT_TRUE(trained.eq(5).all().item<bool>());
  EXPECT_TRUE(frozen.eq(2).all().item<bool>());
  restore(adam, file);
  EXPECT_TRUE(trained.eq(1).all().item<bool>());
  EXPECT_TRUE(adam.slots()[0].ema.eq(5).all().item<bool>());
}

TEST_P(CheckpointTensorsTest, RestoresAllTensorsOrWeightsOnly) {
  auto other = adam(20);
  const auto saved = adam(1), weights_only = adam(40);
  const auto file = write(checkpoint_tensors(saved));
  restore(other, file);
  EXPECT_EQ(numbers(other), numbers(saved));
  const auto before = numbers(weights_only);
  restore_weights(weights_only, file);
  for (const auto& [name, number] : numbers(weights_only))
    EXPECT_EQ(number, name.starts_with("adam.") ? before.at(name) : numbers(saved).at(name)) << name;
}

// Batch norms have statistics that are saved but not trained.
TEST_P(CheckpointTensorsTest, EveryNetworkContinuesFromItsCheckpoint) {
  if (!device().is_cpu()) GTEST_SKIP() << "a GPU does not repeat every bit";
  set_up_determinism(1);
  const Toy toy({.pairs = 30}, device());
  Workers workers(1);
  const auto update = [&](EncoderDecoder& model, Adam& adam, std::int64_t step) {
    const std::vector batches{toy.corpus().batch(std::vector<std::int64_t>{step, 4, 5, 6, 7})};
    const auto result = update_weights(model, adam, workers, batches, RandomStream(1, "dropout"),
                                       {.step = step, .learning_rate = 0.01});
    EXPECT_TRUE(result.applied);
  };
  for (const auto& config : all_networks()) {
    SCOPED_TRACE(describe(config));
    auto model = make_model(config, {12, 12}, RandomStream(1, "weights"));
    Adam adam(named_parameters(model), {});
    for (const std::int64_t step : {1, 2}) update(model, adam, step);
    const auto file = write(checkpoint_tensors(adam));
    update(model, adam, 3);

    auto resumed = make_model(config, {12, 12}, RandomStream(2, "weights"));
    Adam other(named_parameters(resumed), {});
    restore(other, file);
    update(resumed, other, 3);
    const auto found = weights_of(resumed);
    for (const auto& [name, weight] : weights_of(model)) EXPECT_TRUE(found.at(name).equal(weight)) << name;
  }
}

TEST_P(CheckpointTensorsTest, MismatchedTensorIsRefusedByName) {
  auto mine = adam(1);
  const auto refused = [&](const std::string& name, const std::optional<at::Tensor>& in_place) {
    auto tensors = checkpoint_tensors(adam(20));
    tensors.erase(name);
    if (in_place) tensors[name] = *in_place;
    const auto file = write(tensors);
    EXPECT_THAT([&] { restore(mine, file); }, ThrowsMessage<ModelError>(HasSubstr(name)));
  };
  refused("adam.v.b.weight", std::nullopt);
  refused("a.weight", at::ones({3, 2}));
  refused("adam.m.a.weight", at::full({2, 3}, std::numeric_limits<float>::quiet_NaN()));
  refused("c.weight", at::ones({2, 3}));
}

TEST_P(CheckpointTensorsTest, NonFiniteWeightIsNamedBeforeSaving) {
  const auto mine = adam(1);
  EXPECT_NO_THROW(expect_finite(mine, 7));
  const at::NoGradGuard no_grad;
  mine.slots()[1].parameter[0][1] = std::numeric_limits<float>::infinity();
  EXPECT_THAT([&] { expect_finite(mine, 7); },
              ThrowsMessage<DivergedError>(AllOf(HasSubstr("step 7"), HasSubstr("b.weight"))));
}

INSTANTIATE_DEVICES(CheckpointTensorsTest);

}  // namespace
}  // namespace gloss
