#include "tensor/out_of_memory.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <new>
#include <set>
#include <stdexcept>

#include <ATen/Functions.h>
#include <c10/util/Exception.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/training/failing_allocator.h"
#include "tests/training/trainer_test.h"
#include "training/update.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

class OutOfMemoryTest : public TrainerTest {
 protected:
  void SetUp() override {
    TrainerTest::SetUp();
    if (!IsSkipped() && !device().is_cpu()) GTEST_SKIP() << "the allocator that fails is the processor's";
  }

  static Batch rows(const Toy& toy, std::initializer_list<std::int64_t> indices) {
    return toy.corpus().batch(std::vector<std::int64_t>(indices));
  }

  struct Outcome {
    UpdateResult result;
    std::map<std::string, at::Tensor> weights;
    std::string messages;  ///< text on stderr
    std::int64_t failures = 0;
  };

  // Initial weights after one update in which the allocations `numbers` fail. Epsilon 1 keeps Adam's first step from
  // amplifying rounding.
  static Outcome updated(const Toy& toy, const std::vector<Batch>& batches, const std::set<std::int64_t>& numbers = {},
                         const std::function<void()>& raise = {}) {
    TrainingConfig config;
    config.epsilon = 1;
    auto model = toy.model();
    Adam adam(named_parameters(model), config);
    Outcome outcome;
    Workers workers(1);
    {
      FailingAllocator allocator;
      if (raise) allocator.raise = raise;
      allocator.fail(numbers);
      testing::internal::CaptureStderr();
      try {
        outcome.result =
            update_weights(model, adam, workers, batches, RandomStream(1, "dropout"), {.learning_rate = 1});
      } catch (const Error&) {
        testing::internal::GetCapturedStderr();
        EXPECT_EQ(largest_difference(weights_of(model), weights_of(toy.model())), 0) << "wanted the weights of before";
        throw;
      }
      outcome.messages = testing::internal::GetCapturedStderr();
      outcome.failures = allocator.failures();
    }
    outcome.weights = weights_of(model);
    return outcome;
  }

  static double largest_difference(const std::map<std::string, at::Tensor>& a,
                                   const std::map<std::string, at::Tensor>& b) {
    double largest = 0;
    for (const auto& [name, weight] : a) largest = std::max(largest, (weight - b.at(name)).abs().max().item<double>());
    return largest;
  }
};

TEST_P(OutOfMemoryTest, UpdateIsTheSameWhicheverAllocationFails) {
  const std::vector<Batch> batches = {rows(toy_, {0, 1}), rows(toy_, {2, 3, 4, 5, 6}), rows(toy_, {7, 8, 9})};
  const auto whole = updated(toy_, batches);
  ASSERT_EQ(whole.failures, 0);
  ASSERT_GT(largest_difference(whole.weights, weights_of(toy_.model())), 1e-2);
  std::int64_t number = 1;
  for (;; number += 5) {
    const auto parts = updated(toy_, batches, {number});
    if (parts.failures == 0) break;
    EXPECT_EQ(parts.result.tokens, whole.result.tokens) << number;
    EXPECT_NEAR(parts.result.nll_sum, whole.result.nll_sum, 1e-4) << number;
    EXPECT_NEAR(parts.result.gradient_norm, whole.result.gradient_norm, 1e-5) << number;
    EXPECT_LT(largest_difference(parts.weights, whole.weights), 3e-6) << number;
    EXPECT_THAT(parts.messages, HasSubstr("split in two")) << number;
  }
  EXPECT_GT(number, 300) << "wanted failures in forward and backward passes of all three";
}

TEST_P(OutOfMemoryTest, RecognizesEveryKindOfFailure) {
  const std::vector<Batch> batches = {rows(toy_, {0, 1, 2, 3})};
  const std::function<void()> kinds[] = {
      [] { throw std::bad_alloc(); },
      [] { TORCH_CHECK(false, "DefaultCPUAllocator: can't allocate memory: you tried to allocate 99 bytes."); },
      [] { TORCH_CHECK_WITH(OutOfMemoryError, false, "CUDA out of memory"); }};
  for (const auto& raise : kinds)
    EXPECT_THAT(updated(toy_, batches, {20}, raise).messages,
                HasSubstr("a shard of 4 sentences, which is split in two"));
  EXPECT_THROW(updated(toy_, batches, {20}, [] { throw std::runtime_error("another"); }), std::runtime_error);
  testing::internal::GetCapturedStderr();
}

TEST_P(OutOfMemoryTest, BatchIsSplitOnlyOnce) {
  EXPECT_THAT(
      [&] {
        updated(toy_, {rows(toy_, {0, 1, 2, 3, 4})}, {20, 21});
      },
      ThrowsMessage<OutOfMemoryError>(AllOf(HasSubstr("step 1: out of memory in the half of a shard, 3 sentences"),
                                            HasSubstr("data.batch_tokens"))));
  EXPECT_THAT([&] { updated(toy_, {rows(toy_, {0})}, {20}); },
              ThrowsMessage<OutOfMemoryError>(HasSubstr("in a shard, 1 sentences")));
}

TEST_P(OutOfMemoryTest, EachBatchOfAnUpdateMayBeSplitOnce) {
  const std::vector<Batch> batches = {rows(toy_, {0, 1}), rows(toy_, {2, 3})};
  const auto whole = updated(toy_, batches);
  int split_both = 0, given_up = 0;
  for (std::int64_t second = 40; second < 800; second += 60) {
    try {
      const auto parts = updated(toy_, batches, {20, second});
      if (parts.failures < 2) break;
      ++split_both;
      EXPECT_LT(largest_difference(parts.weights, whole.weights), 3e-6) << second;
    } catch (const OutOfMemoryError& error) {
      ++given_up;
      EXPECT_THAT(error.what(), HasSubstr("the half of a shard")) << second;
    }
  }
  EXPECT_GT(split_both, 0);
  EXPECT_GT(given_up, 0);
}

TEST_P(OutOfMemoryTest, HalvesHaveDifferentDropout) {
  const Toy toy({.pairs = 30, .dropout = 0.3}, device());
  const auto one = rows(toy, {0}), twice = rows(toy, {0, 0});
  const double first = updated(toy, {one}).result.nll_sum;
  const double two_batches = updated(toy, {one, one}).result.nll_sum;
  const double halves = updated(toy, {twice}, {20}).result.nll_sum;
  EXPECT_NE(halves, 2 * first) << "both halves have one mask";
  EXPECT_NE(halves, two_batches) << "the second half has the mask of the next micro-batch";
  EXPECT_EQ(halves, updated(toy, {twice}, {30}).result.nll_sum) << "the masks depend on where memory ran out";
}

TEST_P(OutOfMemoryTest, RunIsSavedAndCanBeResumed) {
  auto options = toy_.options();
  options.config.max_steps = 4;
  options.config.shards = 1;  // so that a batch has enough sentences for halves
  options.checkpoints = toy_.checkpoints() / "unbroken";
  run(options);
  const auto expected = weights_of(model_);

  options.checkpoints = toy_.checkpoints() / "broken";
  {
    FailingAllocator allocator;
    options.progress = [&](const TrainingProgress& progress) {
      if (progress.step == 2) allocator.fail({20, 21});
    };
    testing::internal::CaptureStderr();
    EXPECT_THROW(run(options), OutOfMemoryError);
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                AllOf(HasSubstr("step 3: out of memory"), HasSubstr("updates up to step 2 are saved")));
  }
  options.progress = nullptr;
  BatchStream batches = toy_.batches();
  auto model = toy_.model(99);
  Trainer trainer(model, batches, options);
  ASSERT_TRUE(trainer.resume());
  EXPECT_EQ(trainer.state().step, 2);
  EXPECT_EQ(trainer.run(), TrainingEnd::kFinished);
  EXPECT_EQ(largest_difference(weights_of(model), expected), 0);
}

TEST_P(OutOfMemoryTest, FailureInAValidationSavesFinishedWork) {
  auto options = toy_.options();
  options.config.max_steps = 4;
  options.config.validate_every = 3;
  options.validate = [](EncoderDecoder&, std::int64_t) -> Validation { throw std::bad_alloc(); };
  testing::internal::CaptureStderr();
  EXPECT_THROW(run(options), std::bad_alloc);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("updates up to step 3 are saved"));
  EXPECT_THAT(toy_.saved(), testing::ElementsAre("step-00000003.safetensors"));
  options.validate = [](EncoderDecoder&, std::int64_t) -> Validation { throw std::runtime_error("another"); };
  options.checkpoints = toy_.checkpoints() / "again";
  EXPECT_THROW(run(options), std::runtime_error);
  EXPECT_FALSE(std::filesystem::exists(options.checkpoints));
}

TEST(IsOutOfMemoryTest, ALayerThatOneDnnCannotMakeIsOneThatDoesNotFit) {
  const auto is_out = [](const std::exception& error) {
    try {
      throw std::runtime_error(error.what());
    } catch (...) {
      return is_out_of_memory();
    }
  };
  EXPECT_TRUE(is_out(std::runtime_error("could not create a primitive")));  // dnnl::error
  EXPECT_FALSE(is_out(std::runtime_error("could not create a primitive descriptor")));
  EXPECT_FALSE(is_out(std::runtime_error("other")));
}

TEST(OutOfMemoryKindsTest, LibrariesOfCudaHaveMessagesOfTheirOwn) {
  const auto is_one = [](const std::string& message) {
    try {
      TORCH_CHECK(false, message);
    } catch (...) {
      return is_out_of_memory();
    }
    return false;
  };
  EXPECT_TRUE(is_one("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"));
  EXPECT_TRUE(is_one("cuDNN error: CUDNN_STATUS_ALLOC_FAILED"));
  EXPECT_TRUE(is_one("cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED"));
  EXPECT_TRUE(is_one("CUDA error: out of memory\nCUDA kernel errors might be asynchronously reported"));
  EXPECT_FALSE(is_one("CUDA error: an illegal memory access was encountered"));
  EXPECT_FALSE(is_one("CUDA error: CUBLAS_STATUS_EXECUTION_FAILED"));
}

INSTANTIATE_DEVICES(OutOfMemoryTest);

}  // namespace
}  // namespace gloss
