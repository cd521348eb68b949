#include "training/processes/process_group.h"

#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "training/processes/local_store.h"

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
      store_.emplace();
    } catch (const UsageError& fault) {
      GTEST_SKIP() << fault.what();
    }
  }

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

  std::optional<LocalStore> store_;
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

TEST_F(ProcessGroupTest, ANameThatDoesNotExistIsRefusedByProcess0) {
  EXPECT_THAT([] { ProcessGroup({.rank = 0, .size = 2, .local_size = 1, .address = "name.invalid", .port = 29999}); },
              ThrowsMessage<UsageError>(HasSubstr("MASTER_ADDR: name.invalid")));
}

TEST_F(ProcessGroupTest, TextsReachAll) {
  run(2, [](Exchange& group) {
    EXPECT_THAT(group.all_gather_texts(group.is_first() ? "" : "text"), ElementsAre("", "text"));
  });
}

}  // namespace
}  // namespace gloss
