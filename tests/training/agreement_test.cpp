#include "training/agreement.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/reported_code.h"
#include "tests/support/thread_exchange.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

TEST(AgreementTest, OneSignalStopsAllAndTheTimeIsThatOfProcess0) {
  run_processes(3, [](Exchange& exchange) {
    const auto none = agree(exchange, std::nullopt, static_cast<double>(exchange.rank()) + 0.5);
    EXPECT_FALSE(none.stop);
    EXPECT_EQ(none.seconds, 0.5);
    const auto stop = exchange.rank() == 2 ? std::optional(ExitCode::kTerminated) : std::nullopt;
    EXPECT_EQ(agree(exchange, stop, 1).stop, ExitCode::kTerminated);
  });
}

TEST(AgreementTest, DifferentStartsAreNamedByTheFirstProcess) {
  run_processes(3, [](Exchange& exchange) {
    Json start = {{"program", "1"}, {"inputs", {{"text", "a"}}}, {"step", 5}};
    EXPECT_NO_THROW(expect_equal_start(exchange, start));
    if (exchange.rank() == 1) start["inputs"]["text"] = "b";
    if (exchange.rank() == 1) start["more"] = 1;
    const auto compare = [&] { expect_equal_start(exchange, start); };
    if (exchange.is_first()) {
      EXPECT_THAT(compare,
                  ThrowsMessage<UsageError>(AllOf(HasSubstr("processes 0 and 1"), HasSubstr("inputs.text, more"),
                                                  Not(HasSubstr("of step")), Not(HasSubstr("of program")))));
    } else {
      EXPECT_EQ(reported_code(compare), ExitCode::kUsage);
    }
  });
}

TEST(AgreementTest, OnTheCpuEachProcessNeedsAShard) {
  EXPECT_NO_THROW(expect_enough_shards(no_exchange(), at::kCPU, 1));
  run_processes(2, [](Exchange& exchange) {
    EXPECT_NO_THROW(expect_enough_shards(exchange, at::kCPU, 2));
    EXPECT_NO_THROW(expect_enough_shards(exchange, at::kCUDA, 1)) << "there a batch has as many as processes";
    EXPECT_THAT([&] { expect_enough_shards(exchange, at::kCPU, 1); },
                ThrowsMessage<UsageError>(HasSubstr("each of the 2 processes, got 1")));
  });
}

TEST(AgreementTest, ProcessesWithOtherWeightsAreFound) {
  run_processes(2, [](Exchange& exchange) {
    const auto weight = at::ones({3, 4});
    const Adam adam({{"weight", weight.clone().requires_grad_()}}, {});
    EXPECT_NO_THROW(expect_equal_weights(exchange, adam, 7));
    const at::NoGradGuard no_grad;
    if (exchange.rank() == 1) adam.slots().front().parameter[2][3] += 1e-7;
    EXPECT_THAT([&] { expect_equal_weights(exchange, adam, 7); },
                ThrowsMessage<Error>(AllOf(HasSubstr("step 7"), HasSubstr("process 1"))));
  });
}

TEST(AgreementTest, AFailureToWriteIsThatOfAllProcessesAndTheFirstReportsIt) {
  run_processes(2, [](Exchange& exchange) {
    int calls = 0;
    on_first_process(exchange, [&] { ++calls; });
    EXPECT_EQ(calls, exchange.is_first() ? 1 : 0);
    const auto fail = [&] {
      on_first_process(exchange, [] { throw IoError("file: cannot write: the disk is full"); });
    };
    if (exchange.is_first()) {
      EXPECT_THAT(fail, ThrowsMessage<IoError>("file: cannot write: the disk is full"));
    } else {
      EXPECT_EQ(reported_code(fail), ExitCode::kIo);
    }
  });
}

TEST(AgreementTest, AStopThatIsNoExitCodeIsRefused) {
  run_processes(2, [](Exchange& exchange) { EXPECT_THROW(agree(exchange, static_cast<ExitCode>(-5), 0), Error); });
}

}  // namespace
}  // namespace gloss
