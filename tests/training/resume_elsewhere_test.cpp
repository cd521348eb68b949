// A run that goes on with other threads or on another device: close to the unbroken one, not equal to it.

#include <cstdint>
#include <filesystem>
#include <map>

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "tests/support/device_test.h"
#include "tests/training/toy_run.h"
#include "training/determinism.h"
#include "training/trainer.h"

namespace gloss {
namespace {

using Losses = std::map<std::int64_t, double>;  // by step

class ResumeElsewhereTest : public DeviceTest {
 protected:
  void TearDown() override { at::set_num_threads(threads_before_); }

  /// Goes on from `checkpoints`, where there are some, until `step`; the losses on the way.
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

  // Weights may be further apart: Adam makes whole steps of gradients that are only rounding.
  static void expect_close(const Losses& losses, const Losses& wanted, std::int64_t first) {
    EXPECT_EQ(losses.begin()->first, first);
    for (const auto& [step, loss] : losses) EXPECT_NEAR(loss, wanted.at(step), 1e-3 * wanted.at(step)) << step;
  }

  TemporaryFolder unbroken_, broken_;
  double dropout_ = 0.3;

 private:
  int threads_before_ = at::get_num_threads();
};

TEST_P(ResumeElsewhereTest, WithOtherThreadsTheLossesAreClose) {
  const Losses wanted = run(device(), 1, unbroken_.path(), 8);
  run(device(), 1, broken_.path(), 4);
  testing::internal::CaptureStderr();
  const Losses losses = run(device(), 2, broken_.path(), 8);
  testing::internal::GetCapturedStderr();
  expect_close(losses, wanted, 5);
}

TEST_P(ResumeElsewhereTest, FromProcessorToDeviceAndBackTheLossesAreClose) {
  dropout_ = 0;  // another device draws otherwise
  const Losses wanted = run(at::kCPU, 1, unbroken_.path(), 8);
  run(at::kCPU, 1, broken_.path(), 3);
  testing::internal::CaptureStderr();
  const Losses there = run(device(), 1, broken_.path(), 6), back = run(at::kCPU, 1, broken_.path(), 8);
  const auto warnings = testing::internal::GetCapturedStderr();
  EXPECT_EQ(warnings.find("goes on with device") != warnings.npos, !device().is_cpu());
  expect_close(there, wanted, 4);
  expect_close(back, wanted, 7);
}

INSTANTIATE_DEVICES(ResumeElsewhereTest);

}  // namespace
}  // namespace gloss
