#include "tensor/runtime.h"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include "common/error.h"
#include "common/system/machine.h"
#include "tensor/accelerator.h"
#include "tests/support/device_test.h"

namespace gloss {
namespace {

using testing::HasSubstr;
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
  for (const std::string text : {"cuda", "cuda:0", "cuda:1", "cuda:999"})
    EXPECT_THAT(
        [&] { parse_device(text); },
        ThrowsMessage<UsageError>("device " + text + ": this LibTorch finds no CUDA device here; use device cpu"));
}

TEST(RuntimeTest, AcceleratorHasTheNameThatLibTorchKnowsItBy) {
  const at::Device first(at::Device(kGpu).type(), 0);
  for (const auto& text : {std::string("auto"), kGpu, kGpu + ":0"}) EXPECT_EQ(parse_device(text), first) << text;
  const auto last = kGpu + ":" + std::to_string(accelerators() - 1);
  EXPECT_EQ(parse_device(last), at::Device(last));
  EXPECT_THAT([] { parse_device(kGpu + ":999"); }, ThrowsMessage<UsageError>(HasSubstr(" device here is " + last)));
  const ProcessPlace second{.rank = 1, .size = 2, .local_size = 1, .local_rank = 0};
  for (const auto& text : {std::string("auto"), kGpu}) EXPECT_EQ(parse_device(text, second), first) << text;
  EXPECT_THAT([&] { parse_device(kGpu + ":0", second); },
              ThrowsMessage<UsageError>(HasSubstr("for several processes, got " + kGpu + ":0")));
}

// A process that has registered the stand-in device keeps it, so the test runs again in one that has not.
TEST(RuntimeTest, WithoutAnAcceleratorAutoIsTheCpu) {
  if (at::hasCUDA()) GTEST_SKIP() << "there is a CUDA device here";
  if (accelerators() == 0) {
    EXPECT_EQ(parse_device("auto"), at::Device(at::kCPU));
    return;
  }
  const auto program = std::filesystem::read_symlink("/proc/self/exe").string();
  const auto command = "GLOSS_TEST_DEVICE=cuda '" + program + "' --gtest_filter=RuntimeTest.WithoutAnAccelerator*";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(RuntimeTest, EachProcessOfAMachineHasACudaDeviceOfItsOwn) {
  EXPECT_EQ(own_device({.rank = 5, .size = 8, .local_size = 4, .local_rank = 1}, 4), 1);
  EXPECT_EQ(own_device({.rank = 3, .size = 4, .local_size = 4, .local_rank = 3, .is_bound = true}, 1), 0)
      << "mpirun or srun shows each process one";
  for (const ProcessPlace& place : {ProcessPlace{.rank = 0, .size = 2, .local_size = 2},
                                    ProcessPlace{.rank = 1, .size = 2, .local_size = 1, .local_rank = 1}})
    EXPECT_THAT([&] { own_device(place, 1); },
                ThrowsMessage<UsageError>(HasSubstr("for each of the 2 processes here, got 1")));
}

TEST(RuntimeTest, ThreadsAreThoseAskedForOrAllThatThereAre) {
  EXPECT_EQ(set_up_runtime(1), 1);
  EXPECT_EQ(at::get_num_threads(), 1);
  EXPECT_EQ(set_up_runtime(0), available_processors());
  EXPECT_EQ(at::get_num_threads(), available_processors());
  EXPECT_TRUE(at::globalContext().deterministicAlgorithms());
}

TEST(DeterminismTest, AppliesFromTheFirstOperation) {
  const int before = at::get_num_threads();
  omp_set_dynamic(1);
  set_up_determinism(2);
  EXPECT_EQ(at::get_num_threads(), 2);
  EXPECT_EQ(omp_get_dynamic(), 0) << "no fewer threads at the system's whim";
  EXPECT_TRUE(at::globalContext().deterministicAlgorithms());
  EXPECT_TRUE(at::globalContext().deterministicAlgorithmsWarnOnly());
  EXPECT_FALSE(at::globalContext().deterministicFillUninitializedMemory());
  EXPECT_FALSE(at::globalContext().benchmarkCuDNN());
  EXPECT_STREQ(std::getenv("CUBLAS_WORKSPACE_CONFIG"), ":4096:8");
  set_up_determinism(before);
}

}  // namespace

}  // namespace gloss
