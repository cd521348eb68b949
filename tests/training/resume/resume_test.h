#pragma once

#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "common/files/safetensors.h"
#include "common/system/signals.h"
#include "common/system/stop.h"
#include "tensor/runtime.h"
#include "tests/support/device_test.h"
#include "tests/training/toy_run.h"
#include "training/batch_loss.h"
#include "training/trainer.h"

namespace gloss {

inline constexpr std::int64_t kSteps = 7;

/// Thrown to end a process at once.
struct Killed {};

/// All results of a run, which must be equal to the last bit, but close only on a CUDA device.
struct Trace {
  std::map<std::int64_t, double> losses;       ///< by step
  std::map<std::int64_t, double> validations;  ///< loss by step
  std::map<std::string, at::Tensor> weights;   ///< averaged
  /// Bytes of its tensors by name, and under "state" the state without its time.
  std::map<std::string, std::string> last_checkpoint;
};

/// Runs of a toy model in parts, with dropout, accumulation, EMA and average enabled.
class ResumeTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    threads_before_ = at::get_num_threads();
  }
  void TearDown() override {
    at::set_num_threads(threads_before_);
    const StopOnSignal forgets_the_last_signal;
  }

  // The vocabulary is so large that LibTorch uses two threads. Dropout and accumulation are enabled, an epoch ends
  // within the run, and validations, saves and the average have different periods.
  Toy toy() const {
    return Toy({.vocabulary = 1500, .pairs = 60, .max_words = 12, .batch_tokens = 100, .dropout = 0.3}, device());
  }

  Trainer::Options options(const Toy& toy) const {
    auto options = toy.options();
    options.config.max_steps = kSteps;
    options.config.accumulate = 2;
    options.config.clip_norm = 1;
    options.config.save_every = 3;
    options.config.average_last = 3;
    options.config.ema_decay = 0.7;
    options.config.validate_every = 2;
    options.config.early_stop.metric = EarlyStopMetric::kLoss;
    options.threads = at::get_num_threads();
    options.hashes = {{"config", "abc"}, {"train", "def"}};
    options.validate = [](EncoderDecoder&, std::int64_t) { return Validation{}; };
    return options;
  }

  // One process of a run: a model with other initial weights, other memory layout and a new trainer. `interrupt` is
  // called after each step and may raise a signal or throw Killed.
  TrainingEnd run(const Toy& toy, Trace& trace, const std::function<void(std::int64_t)>& interrupt = {}) {
    ++process_;
    std::vector<at::Tensor> stray;
    for (std::int64_t i = 0; i < process_ % 5 * 7; ++i) stray.push_back(at::empty({1000 * i + 13}));
    auto model = toy.model(trace.losses.empty() ? 1 : 99);
    BatchStream batches = toy.batches();
    auto run_options = options(toy);
    run_options.report_every = 1;
    if (adjust_) adjust_(run_options);
    if (spoil_ && trace.losses.empty()) spoil_(model);
    run_options.report = [&](const TrainingReport& report) {
      trace.losses[report.step] = report.loss;
      if (interrupt) interrupt(report.step);
    };
    run_options.validate = [&](EncoderDecoder& trained, std::int64_t step) {
      const std::vector<std::int64_t> some = {0, 1, 2};
      const Batch batch = toy.corpus().batch(some);
      const Loss loss = batch_loss(trained, batch, 0, {});
      if (step == cut_validation_) std::exchange(cut_validation_, -1), std::raise(SIGTERM), stop_where_requested();
      if (step == kill_in_validation_) std::exchange(kill_in_validation_, -1), throw Killed();
      trace.validations[step] = loss.nll_sum.item<double>() / static_cast<double>(loss.tokens);
      if (step == stop_after_validation_) std::raise(SIGTERM);
      return Validation{trace.validations[step], {}};
    };
    const StopOnSignal stop;
    if (interrupt) interrupt(0);
    Trainer trainer(model, batches, run_options);
    trainer.resume();
    const auto end = trainer.run();
    state_ = trainer.state();
    kept_steps_ = trainer.kept_steps();
    trace.weights = weights_of(model);
    if (!toy.saved().empty()) trace.last_checkpoint = contents(toy.checkpoints() / toy.saved().back());
    return end;
  }

  void expect_equal(const Trace& trace, const Trace& unbroken) const {
    const bool is_exact = !device().is_cuda();
    if (is_exact) {
      EXPECT_EQ(trace.losses, unbroken.losses);
      EXPECT_EQ(trace.validations, unbroken.validations);
      EXPECT_TRUE(trace.last_checkpoint == unbroken.last_checkpoint);
    }
    ASSERT_EQ(trace.weights.size(), unbroken.weights.size());
    for (const auto& [name, weight] : unbroken.weights)
      EXPECT_TRUE(is_exact ? weight.equal(trace.weights.at(name)) : weight.allclose(trace.weights.at(name), 1e-3, 1e-4))
          << name;
  }

  Trace unbroken() {
    Trace trace;
    const Toy place = toy();
    EXPECT_EQ(run(place, trace), TrainingEnd::kFinished);
    EXPECT_EQ(trace.losses.size(), static_cast<std::size_t>(kSteps));
    EXPECT_EQ(trace.validations.size(), static_cast<std::size_t>(kSteps / 2));
    EXPECT_GT(place.batches().batches_in_epoch(), 2);
    EXPECT_LT(place.batches().batches_in_epoch(), 2 * kSteps) << "wanted an epoch that ends within the run";
    return trace;
  }

  // A run that is stopped after the update that follows the validation at step `stop`, and resumed.
  Trace stopped_behind_validation(const Toy& place, std::int64_t stop) {
    Trace trace;
    stop_after_validation_ = stop;
    EXPECT_EQ(run(place, trace), TrainingEnd::kStopped);
    stop_after_validation_ = -1;
    stopped_state_ = state_;
    trace.losses.emplace(0, 0);  // other initial weights
    EXPECT_NE(run(place, trace), TrainingEnd::kStopped);
    trace.losses.erase(0);
    return trace;
  }

  static std::map<std::string, std::string> contents(const std::filesystem::path& checkpoint) {
    const auto file = SafetensorsFile::open(checkpoint);
    std::map<std::string, std::string> contents;
    for (const auto& [name, tensor] : file.tensors())
      contents[name].assign(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
    TrainingState state = read_checkpoint_state(file);
    state.seconds = 0;
    contents["state"] = to_text(to_json(state));
    return contents;
  }

  std::int64_t process_ = 0;
  std::function<void(Trainer::Options&)> adjust_;
  std::function<void(EncoderDecoder&)> spoil_;  ///< changes the initial weights
  std::int64_t stop_after_validation_ = -1, cut_validation_ = -1, kill_in_validation_ = -1;  ///< at this step
  TrainingState state_, stopped_state_;
  std::vector<std::int64_t> kept_steps_;

 private:
  int threads_before_ = 1;
};

}  // namespace gloss
