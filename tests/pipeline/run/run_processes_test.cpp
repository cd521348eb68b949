#include "pipeline/run/run_processes.h"

#include <atomic>

#include <gtest/gtest.h>

#include "tests/support/reported_code.h"
#include "tests/support/thread_exchange.h"

namespace gloss {
namespace {

TEST(RunProcessesTest, TheOthersWaitUntilTheFirstReleasesThem) {
  std::atomic<bool> is_ready = false;
  run_processes(3, [&](Exchange& exchange) {
    RunProcesses processes(exchange);
    processes.begin({});
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
      processes.begin({});
      processes.fail(IoError("the disk is full"));
    } else {
      EXPECT_EQ(reported_code([&] { processes.begin({}); }), ExitCode::kIo);
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

TEST(RunProcessesTest, SeveralAreRefusedOnAGpuAndWithFewerShards) {
  EXPECT_NO_THROW(check_processes(no_exchange(), at::kCUDA, 1));
  run_processes(2, [&](Exchange& exchange) {
    EXPECT_NO_THROW(check_processes(exchange, at::kCPU, 2));
    EXPECT_THROW(check_processes(exchange, at::kCPU, 1), UsageError);
    EXPECT_THROW(check_processes(exchange, at::kCUDA, 2), UsageError);
  });
}

}  // namespace
}  // namespace gloss
