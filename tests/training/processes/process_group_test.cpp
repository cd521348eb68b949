#include "training/processes/process_group.h"

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/system/signals.h"
#include "common/system/stop.h"
#include "training/processes/rendezvous.h"
#include "training/processes/sockets.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

// Threads of this process take the places of processes.
class ProcessGroupTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      store_.emplace(3);
    } catch (const UsageError& fault) {
      GTEST_SKIP() << fault.what();
    }
  }

  void TearDown() override { const StopOnSignal forgets_the_last_stop; }

  void run(std::int64_t size, const std::function<void(Exchange&)>& work) {
    std::vector<std::jthread> threads;
    for (std::int64_t rank = 0; rank < size; ++rank)
      threads.emplace_back([&, rank] {
        ProcessGroup group({.rank = rank,
                            .size = size,
                            .local_size = size,
                            .address = "127.0.0.1",
                            .port = store_->port(),
                            .store_is_there = true});
        work(group);
        group.all_gather_texts("done");
      });
  }

  std::uint16_t free_port() { return port_ = port_of(listen_locally(0)); }

  std::optional<LocalStore> store_;
  std::uint16_t port_ = 0;
};

TEST_F(ProcessGroupTest, GathersPartsInTheOrderOfTheProcesses) {
  run(3, [](Exchange& group) {
    EXPECT_EQ(group.size(), 3);
    const auto part = at::full({2, 2}, group.rank(), at::kDouble);
    const auto wanted = at::arange(3, at::kDouble).repeat_interleave(4);
    EXPECT_TRUE(group.all_gather(part).equal(wanted));
    const auto gathered = group.gather(part);
    EXPECT_EQ(gathered.defined(), group.is_first());
    if (gathered.defined()) {
      EXPECT_TRUE(gathered.equal(wanted));
    }
  });
}

TEST_F(ProcessGroupTest, SendsEachProcessItsPart) {
  run(3, [](Exchange& group) {
    // Process p sends p + 1 numbers to each: 100 p + 10 q + i.
    const auto count = group.rank() + 1;
    std::vector<float> sent;
    for (int q = 0; q < 3; ++q)
      for (std::int64_t i = 0; i < count; ++i) sent.push_back(static_cast<float>(100 * group.rank() + 10 * q + i));
    const auto got = group.all_to_all(at::tensor(sent), {1, 2, 3});
    const auto mine = static_cast<float>(10 * group.rank());
    const std::vector<float> numbers(got.const_data_ptr<float>(), got.const_data_ptr<float>() + got.numel());
    EXPECT_THAT(numbers, ElementsAre(mine, mine + 100, mine + 101, mine + 200, mine + 201, mine + 202));
  });
}

TEST_F(ProcessGroupTest, APortInUseIsNamed) {
  for (const auto* address : {"127.0.0.1", "0.0.0.0"}) {
    const auto join = [&] {
      ProcessGroup({.rank = 0, .size = 2, .local_size = 2, .address = address, .port = store_->port()});
    };
    EXPECT_THAT(join, ThrowsMessage<IoError>(HasSubstr("port " + std::to_string(store_->port())))) << address;
  }
}

TEST_F(ProcessGroupTest, AllMustBeStartedAsTheSameNumberOfProcesses) {
  std::vector<std::jthread> threads;
  for (const std::int64_t size : {2, 3})
    threads.emplace_back([&, size] {
      EXPECT_THAT(
          [&] {
            ProcessGroup({.rank = size - 2,
                          .size = size,
                          .local_size = size,
                          .address = "127.0.0.1",
                          .port = store_->port(),
                          .store_is_there = true});
          },
          ThrowsMessage<UsageError>(HasSubstr("WORLD_SIZE: wanted the same number")));
    });
}

TEST_F(ProcessGroupTest, ANumberIsThatOfOneProcess) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&] {
      EXPECT_THAT(
          [&] {
            ProcessGroup({.rank = 1,
                          .size = 3,
                          .local_size = 3,
                          .address = "127.0.0.1",
                          .port = store_->port(),
                          .store_is_there = true});
          },
          ThrowsMessage<UsageError>(HasSubstr("RANK: wanted each number in one process")));
    });
}

TEST_F(ProcessGroupTest, TheStoreOfAnotherRunIsRefused) {
  const auto store = open_store({.port = free_port(), .job = "12"});
  EXPECT_THAT([&] { ProcessGroup({.rank = 1, .size = 2, .port = port_, .job = "13"}); },
              ThrowsMessage<UsageError>(HasSubstr("MASTER_PORT: another run has its store at port")));
}

// A program that takes connections and does not answer, or a store of another program.
TEST_F(ProcessGroupTest, AStopEndsTheWaitForAPortOfAnotherProgram) {
  request_stop(ExitCode::kTerminated);
  const auto silent = listen_locally(0);
  for (const auto port : {port_of(silent), store_->port()})
    EXPECT_THROW(ProcessGroup({.rank = 1, .size = 2, .port = port}), Stopped);
}

TEST_F(ProcessGroupTest, AnInterfaceThatIsNotThereIsRefused) {
  ::setenv("GLOO_SOCKET_IFNAME", "none-such", 1);
  EXPECT_THAT([] { ProcessGroup({.rank = 1, .size = 2, .address = "0.0.0.0", .port = 29999}); },
              ThrowsMessage<UsageError>(HasSubstr("GLOO_SOCKET_IFNAME")));
  ::setenv("GLOO_SOCKET_IFNAME", "", 1);  // as if it were not set
  EXPECT_THAT([] { ProcessGroup({.rank = 1, .size = 2, .address = "0.0.0.0", .port = 29999}); },
              ThrowsMessage<UsageError>(HasSubstr("MASTER_ADDR: 0.0.0.0 is ")));
  ::unsetenv("GLOO_SOCKET_IFNAME");
}

// An address for documents, at which process 0 does not reach itself. A machine without a network has no way to it.
TEST_F(ProcessGroupTest, AnAddressOfAnotherMachineIsRefusedByProcess0) {
  EXPECT_THAT(
      [&] { ProcessGroup({.rank = 0, .size = 2, .local_size = 1, .address = "203.0.113.1", .port = free_port()}); },
      ThrowsMessage<Error>(HasSubstr("MASTER_ADDR: ")));
}

TEST_F(ProcessGroupTest, ANameThatDoesNotExistIsRefusedAtOnce) {
  for (const std::int64_t rank : {0, 1})
    for (const auto& name : std::vector<std::string>{"name.invalid", "a b", ".", std::string(5000, 'x')})
      EXPECT_THAT([&] { ProcessGroup({.rank = rank, .size = 2, .address = name, .port = 29999}); },
                  ThrowsMessage<UsageError>(HasSubstr("MASTER_ADDR: ")))
          << name;
}

TEST_F(ProcessGroupTest, TextsReachAll) {
  run(2, [](Exchange& group) {
    EXPECT_THAT(group.all_gather_texts(group.is_first() ? "" : "text"), ElementsAre("", "text"));
  });
}

}  // namespace
}  // namespace gloss
