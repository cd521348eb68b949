// A run resumed with other threads equals the unbroken one; on another device it is close.

#include <cstdint>
#include <filesystem>
#include <map>

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "tensor/runtime.h"
#include "tests/support/device_test.h"
#include "tests/training/toy_run.h"
#include "training/trainer.h"

namespace gloss {
namespace {

using Losses = std::map<std::int64_t, double>;  // by step

class ResumeElsewhereTest : public DeviceTest {
 protected:
  void TearDown() override { at::set_num_threads(threads_before_); }

  /// Continues from `checkpoints`, if there are any, until `step`; returns the losses.
  Losses run(at::Device device, int threads, const std::filesystem::path& checkpoints, std::int64_t step) const {
    set_up_determinism(threads);
    const Toy toy({.vocabulary = 1500, .pairs = 60, .max_words = 12, .batch_tokens = 100, .dropout = dropout_}, device);
    auto model = toy.model();
    BatchStream batches = toy.batches();
    auto options = toy.options();
    options.config.max_steps = step;
    options.checkpoints = checkpoints;
    options.threads = threads;
    Losses losses;
    options.report_every = 1;
    options.report = [&](const TrainingReport& report) { losses[report.step] = report.loss; };
    Trainer trainer(model, batches, options);
    trainer.resume();
    trainer.run();
    EXPECT_EQ(trainer.state().step, step);
    return losses;
  }

  // Weights may differ more: Adam makes full steps for gradients that are only rounding.
  static void expect_close(const Losses& losses, const Losses& expected, std::int64_t first) {
    EXPECT_EQ(losses.begin()->first, first);
    for (const auto& [step, loss] : losses) EXPECT_NEAR(loss, expected.at(step), 1e-3 * expected.at(step)) << step;
  }

  TemporaryFolder unbroken_, broken_;
  double dropout_ = 0.3;

 private:
  int threads_before_ = at::get_num_threads();
};

TEST_P(ResumeElsewhereTest, LossesAreEqualWithOtherThreads) {
  const Losses expected = run(device(), 1, unbroken_.path(), 8);
  run(device(), 1, broken_.path(), 3);
  testing::internal::CaptureStderr();
  Losses losses = run(device(), 2, broken_.path(), 5);
  losses.merge(run(device(), 8, broken_.path(), 8));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  if (!device().is_cpu()) return expect_close(losses, expected, 4);
  EXPECT_EQ(losses.size(), 5U);
  for (const auto& [step, loss] : losses) EXPECT_EQ(loss, expected.at(step)) << step;
}

TEST_P(ResumeElsewhereTest, LossesAreCloseAcrossDevices) {
  dropout_ = 0;  // random numbers differ between devices
  const Losses expected = run(at::kCPU, 1, unbroken_.path(), 8);
  run(at::kCPU, 1, broken_.path(), 3);
  testing::internal::CaptureStderr();
  const Losses there = run(device(), 1, broken_.path(), 6), back = run(at::kCPU, 1, broken_.path(), 8);
  const auto warnings = testing::internal::GetCapturedStderr();
  EXPECT_EQ(warnings.find("continues with device") != warnings.npos, !device().is_cpu());
  expect_close(there, expected, 4);
  expect_close(back, expected, 7);
}

INSTANTIATE_DEVICES(ResumeElsewhereTest);

}  // namespace
}  // namespace gloss
