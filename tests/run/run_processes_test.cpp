#include "run/run_processes.h"

#include <atomic>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/reported_code.h"
#include "tests/support/thread_exchange.h"

namespace gloss {
namespace {

TEST(RunProcessesTest, TheOthersWaitUntilTheFirstReleasesThem) {
  std::atomic<bool> is_ready = false;
  run_processes(3, [&](Exchange& exchange) {
    RunProcesses processes(exchange);
    processes.begin({}, at::kCPU);
    if (exchange.is_first()) is_ready = true;
    EXPECT_TRUE(is_ready);
    processes.release();
    processes.release(ExitCode::kIo);  // none waits any more
  });
}

TEST(RunProcessesTest, TheOthersFailWithTheCodeOfTheFirst) {
  run_processes(3, [&](Exchange& exchange) {
    RunProcesses processes(exchange);
    if (exchange.is_first()) {
      processes.begin({}, at::kCPU);
      processes.fail(IoError("the disk is full"));
    } else {
      EXPECT_EQ(reported_code([&] { processes.begin({}, at::kCPU); }), ExitCode::kIo);
    }
  });
}

TEST(RunProcessesTest, OnlyAnErrorOfAllProcessesIsLeftToTheFirst) {
  run_processes(2, [&](Exchange& exchange) {
    RunProcesses processes(exchange);
    const auto code_of = [&](const Error& fault) { return reported_code([&] { processes.fail(fault); }); };
    EXPECT_EQ(code_of(DivergedError("the loss")), exchange.is_first() ? ExitCode::kDone : ExitCode::kDiverged);
    EXPECT_EQ(code_of(UsageError("this machine has less memory")), ExitCode::kDone);
    EXPECT_EQ(code_of(IoError("the disk is full")), ExitCode::kDone);
  });
}

TEST(RunProcessesTest, AllComputeOnTheSameKindOfDevice) {
  run_processes(2, [&](Exchange& exchange) {
    const auto device = exchange.is_first() ? at::Device(at::kCPU) : at::Device(at::kCUDA, 1);
    RunProcesses processes(exchange);
    try {
      processes.begin({}, device);
      processes.release();
      ADD_FAILURE() << "not refused";
    } catch (const ReportedError&) {  // of all but the first
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("device"));
    }
  });
  run_processes(2, [&](Exchange& exchange) {
    RunProcesses processes(exchange);
    processes.begin({}, at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(exchange.rank())));
    processes.release();
  });
}

}  // namespace
}  // namespace gloss
