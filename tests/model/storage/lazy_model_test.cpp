#include "model/storage/lazy_model.h"

#include <stdexcept>
#include <thread>
#include <vector>

#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>

#include "tests/support/small_model.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

TEST(LazyModelTest, NetworkIsLoadedOnceForAllCopiesAndThreads) {
  int loads = 0;
  const LazyModel lazy(at::kCPU, weights_of(*small_model(at::kCPU)), [&] {
    ++loads;
    return small_model(at::kCPU);
  });
  const auto copy = lazy;
  EXPECT_THAT(copy.weights("generator.bias").values,
              SameAs(small_model(at::kCPU)->named_parameters()["generator.bias"].detach()));
  EXPECT_EQ(loads, 0);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&] { copy.network(); });
  }
  EXPECT_EQ(lazy.network().ptr(), copy.network().ptr());
  EXPECT_EQ(loads, 1);
}

TEST(LazyModelTest, NetworkIsLoadedAgainAfterAnError) {
  int loads = 0;
  const LazyModel lazy(at::kCPU, {}, [&] {
    if (++loads == 1) throw std::runtime_error("not yet");
    return small_model(at::kCPU);
  });
  EXPECT_THROW(lazy.network(), std::runtime_error);
  EXPECT_TRUE(bool(lazy.network()));
  EXPECT_EQ(loads, 2);
}

TEST(LazyModelTest, ParametersLoadedInInferenceModeAreUsableOutside) {
  const LazyModel lazy(at::kCPU, {}, [] { return small_model(at::kCPU); });
  {
    const c10::InferenceMode inference;
    lazy.network();
  }
  for (const auto& parameter : lazy.network()->parameters()) EXPECT_FALSE(parameter.is_inference());
}

TEST(LazyModelTest, LoadedModelGivesCopiesOfItsPresentWeights) {
  const auto model = small_model(at::kCPU);
  const LazyModel lazy(model);
  EXPECT_EQ(lazy.network().ptr(), model.ptr());
  EXPECT_EQ(lazy.device, at::kCPU);
  const auto bias = model->named_parameters()["generator.bias"].detach();
  bias.fill_(3);
  const auto copy = lazy.weights("generator.bias");
  bias.fill_(4);
  EXPECT_EQ(copy.values[0].item<float>(), 3);
  EXPECT_FALSE(copy.values.requires_grad());
}

}  // namespace
}  // namespace gloss
