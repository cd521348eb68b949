#include "pipeline/runtime.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/system/threads.h"

namespace gloss {
namespace {

using testing::StartsWith;
using testing::ThrowsMessage;

TEST(RuntimeTest, NamesOfDevices) {
  EXPECT_EQ(parse_device("cpu"), at::Device(at::kCPU));
  for (const auto* text : {"", "gpu", "CPU", "cuda:", "cuda:x", "cuda:-1", "cuda:9999", "cpu:0"})
    EXPECT_THAT([&] { parse_device(text); }, ThrowsMessage<UsageError>(StartsWith("device: wanted auto, cpu, ")))
        << text;
}

TEST(RuntimeTest, CudaIsNeverReplacedSilently) {
  if (at::hasCUDA()) GTEST_SKIP() << "there is a CUDA device here";
  EXPECT_EQ(parse_device("auto"), at::Device(at::kCPU));
  for (const std::string text : {"cuda", "cuda:0", "cuda:1", "cuda:999"})
    EXPECT_THAT(
        [&] { parse_device(text); },
        ThrowsMessage<UsageError>("device " + text + ": this LibTorch finds no CUDA device here; use device cpu"));
}

TEST(RuntimeTest, ThreadsAreThoseAskedForOrAllThatThereAre) {
  EXPECT_EQ(set_up_runtime(1), 1);
  EXPECT_EQ(at::get_num_threads(), 1);
  EXPECT_EQ(set_up_runtime(0), available_processors());
  EXPECT_EQ(at::get_num_threads(), available_processors());
  EXPECT_TRUE(at::globalContext().deterministicAlgorithms());
}

}  // namespace
}  // namespace gloss
