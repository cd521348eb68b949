#include "run/estimate/training_time.h"

#include <csignal>

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include "common/system/signals.h"
#include "common/system/stop.h"
#include "model/make_model.h"
#include "run/run_tokenizers.h"
#include "tensor/runtime.h"
#include "tests/run/small_job.h"
#include "tests/support/device_test.h"

namespace gloss {
namespace {

class TrainingTimeTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    set_up_runtime(1);
    testing::internal::CaptureStderr();
    tokenizers_.emplace(job_.config, RunFolder(job_ / "run", false, false));
    testing::internal::GetCapturedStderr();
    model_ = make_model(job_.config.model, tokenizers_->vocabularies(), RandomStream(5, "weights"));
    model_->to(device());
  }
  void TearDown() override { const StopOnSignal forgets_the_last_signal; }

  ParallelCorpus corpus() const {
    return ParallelCorpus::read(job_.config.data.train_source, job_.config.data.train_target, *tokenizers_->source(),
                                *tokenizers_->target(), {.max_length = job_.config.data.max_length});
  }

  SmallJob job_{device()};
  std::optional<RunTokenizers> tokenizers_;
  EncoderDecoder model_{nullptr};
};

TEST_P(TrainingTimeTest, TheTrialLeavesTheModelAsItWas) {
  std::vector<at::Tensor> before;
  for (const auto& parameter : model_->parameters()) before.push_back(parameter.detach().clone());
  const auto seconds = estimate_epoch_seconds(model_, corpus(), job_.config);
  ASSERT_TRUE(seconds);
  EXPECT_GT(*seconds, 0);
  const auto after = model_->parameters();
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_TRUE(at::equal(after[i], before[i]));
    EXPECT_FALSE(after[i].grad().defined());
  }
}

TEST_P(TrainingTimeTest, ASignalEndsTheTrial) {
  const StopOnSignal stop;
  std::raise(SIGTERM);
  EXPECT_THROW(estimate_epoch_seconds(model_, corpus(), job_.config), Stopped);
}

TEST(ShareOfTimeTest, CountsTheShardsThatFollowEachOtherAndCrowdedProcessors) {
  EXPECT_EQ(share_of_time(4, {}), 1);
  const auto share = [](std::int64_t shards, const ProcessCounts& counts) {
    return 0.8 * share_of_time(shards, counts);
  };
  EXPECT_DOUBLE_EQ(share(4, {.processes = 2, .on_machine = 2, .threads = 1, .processors = 2}), 0.5);
  EXPECT_DOUBLE_EQ(share(4, {.processes = 3, .on_machine = 3, .threads = 1, .processors = 3}), 0.5)
      << "one computes two shards";
  EXPECT_DOUBLE_EQ(share(4, {.processes = 2, .on_machine = 2, .threads = 2, .processors = 4}), 0.5);
  EXPECT_DOUBLE_EQ(share(4, {.processes = 2, .on_machine = 2, .threads = 4, .processors = 8}), 1) << "too few shards";
  EXPECT_DOUBLE_EQ(share(4, {.processes = 2, .on_machine = 2, .threads = 2, .processors = 2}), 1) << "crowded";
  EXPECT_DOUBLE_EQ(share(8, {.processes = 4, .on_machine = 1, .threads = 2, .processors = 2}), 0.25);
}

INSTANTIATE_DEVICES(TrainingTimeTest);

}  // namespace
}  // namespace gloss
