// A run that goes on with other threads or on another device: close to the unbroken one, not equal to it.

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "tests/support/device_test.h"
#include "tests/training/toy_run.h"
#include "training/determinism.h"
#include "training/trainer.h"

namespace gloss {
namespace {

using Weights = std::map<std::string, at::Tensor>;

class ResumeElsewhereTest : public DeviceTest {
 protected:
  void TearDown() override { at::set_num_threads(threads_before_); }

  /// Goes on from `checkpoints`, where there are some, until `step`; the weights then.
  static Weights run(at::Device device, int threads, const std::filesystem::path& checkpoints, std::int64_t step) {
    set_up_determinism(threads);
    const Toy toy({.vocabulary = 1500, .pairs = 60, .max_words = 12, .batch_tokens = 100, .dropout = 0.3}, device);
    auto model = toy.model();
    BatchStream batches = toy.batches();
    auto options = toy.options();
    options.config.max_steps = step;
    options.checkpoints = checkpoints;
    options.threads = threads;
    Trainer trainer(model, batches, options);
    trainer.resume();
    trainer.run();
    EXPECT_EQ(trainer.state().step, step);
    return weights_of(model);
  }

  static void expect_close(const Weights& weights, const Weights& wanted) {
    for (const auto& [name, weight] : wanted) EXPECT_TRUE(weight.allclose(weights.at(name), 1e-3, 1e-4)) << name;
  }

  TemporaryFolder unbroken_, broken_;

 private:
  int threads_before_ = at::get_num_threads();
};

TEST_P(ResumeElsewhereTest, WithOtherThreadsTheWeightsAreClose) {
  const Weights wanted = run(device(), 1, unbroken_.path(), 8);
  run(device(), 1, broken_.path(), 4);
  testing::internal::CaptureStderr();
  const Weights weights = run(device(), 2, broken_.path(), 8);
  testing::internal::GetCapturedStderr();
  expect_close(weights, wanted);
}

TEST_P(ResumeElsewhereTest, FromProcessorToDeviceAndBackTheWeightsAreClose) {
  const Weights wanted = run(at::kCPU, 1, unbroken_.path(), 8);
  run(at::kCPU, 1, broken_.path(), 3);
  run(device(), 1, broken_.path(), 6);
  expect_close(run(at::kCPU, 1, broken_.path(), 8), wanted);
}

INSTANTIATE_DEVICES(ResumeElsewhereTest);

}  // namespace
}  // namespace gloss
