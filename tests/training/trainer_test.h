#pragma once

#include <utility>
#include <vector>

#include "common/system/signals.h"
#include "tensor/runtime.h"
#include "tests/support/device_test.h"
#include "tests/training/toy_run.h"
#include "training/trainer.h"

namespace gloss {

using Steps = std::vector<std::int64_t>;

/// Runs a trainer on the copy task and records its reports.
class TrainerTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    set_up_determinism(1);
  }
  void TearDown() override { const StopOnSignal forgets_the_last_signal; }

  TrainingEnd run(Trainer::Options options) {
    options.report_every = 1;
    options.report = [this](const TrainingReport& report) { reports_.push_back(report); };
    BatchStream batches = toy_.batches();
    model_ = toy_.model();
    Trainer trainer(model_, batches, std::move(options));
    const auto end = trainer.run();
    state_ = trainer.state();
    kept_steps_ = trainer.kept_steps();
    return end;
  }

  // Records the steps of validations; the k-th returns scores[k].
  TrainingEnd run_validated(Trainer::Options options, std::vector<Validation> scores = {}) {
    options.validate = [this, scores](EncoderDecoder&, std::int64_t step) {
      validated_.push_back(step);
      return validated_.size() <= scores.size() ? scores[validated_.size() - 1] : Validation{};
    };
    return run(std::move(options));
  }

  std::int64_t batches_an_epoch() const { return toy_.batches().batches_in_epoch(); }
  std::int64_t updates_an_epoch(std::int64_t accumulate) const {
    return (batches_an_epoch() + accumulate - 1) / accumulate;
  }

  Toy toy_{{}, device()};
  EncoderDecoder model_{nullptr};
  TrainingState state_;
  std::vector<TrainingReport> reports_;
  Steps validated_, kept_steps_;
};

}  // namespace gloss
