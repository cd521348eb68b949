#include "tensor/workers.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/new_thread.h"
#include "tests/support/tensor_matchers.h"
#include "tests/tensor/products.h"

namespace gloss {
namespace {

using testing::Each;
using testing::ThrowsMessage;

TEST(WorkersTest, EveryTaskRunsOnce) {
  for (const std::int64_t count : {1, 2, 5}) {
    Workers workers(count);
    for (const std::int64_t tasks : {0, 1, 3, 100}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(tasks));
      workers.run(tasks, [&](std::int64_t i) { ++runs[static_cast<std::size_t>(i)]; });
      for (const auto& each : runs) EXPECT_EQ(each, 1) << count << " workers, " << tasks << " tasks";
    }
  }
}

TEST(WorkersTest, TasksRunSideBySide) {
  Workers workers(3);
  std::atomic<int> waiting = 0;
  // Each of three tasks waits for the other two.
  workers.run(3, [&](std::int64_t) {
    ++waiting;
    while (waiting < 3) std::this_thread::yield();
  });
  EXPECT_EQ(waiting, 3);
}

TEST(WorkersTest, AFreeWorkerTakesTheNextTask) {
  Workers workers(2);
  std::atomic<int> done = 0;
  // The first task ends last: the other worker does the rest.
  workers.run(50, [&](std::int64_t i) {
    while (i == 0 && done < 49) std::this_thread::yield();
    ++done;
  });
  EXPECT_EQ(done, 50);
}

TEST(WorkersTest, LibTorchComputesATaskOnOneThread) {
  const int before = at::get_num_threads();
  at::set_num_threads(3);  // for new threads, too
  {
    Workers workers(2);
    EXPECT_EQ(at::get_num_threads(), 3);
    std::vector<int> threads(2);
    std::vector<std::thread::id> ids(2);
    std::atomic<int> arrived = 0;
    workers.run(2, [&](std::int64_t i) {
      threads[static_cast<std::size_t>(i)] = at::get_num_threads();
      ids[static_cast<std::size_t>(i)] = std::this_thread::get_id();
      ++arrived;
      while (arrived < 2) std::this_thread::yield();
      EXPECT_EQ(threads_of_a_new_thread(), 3) << "a new thread during a run";
    });
    EXPECT_THAT(threads, Each(1));
    EXPECT_NE(ids[0], ids[1]);
    EXPECT_EQ(at::get_num_threads(), 3) << "the thread that called";
  }
  EXPECT_EQ(at::get_num_threads(), 3);
  EXPECT_EQ(threads_of_a_new_thread(), 3);
  at::set_num_threads(before);
}

TEST(WorkersTest, ProductsHaveTheBitsOfOneThread) {
  for_each_product([](const auto& product, const at::Tensor& wanted) {
    for (const std::int64_t count : {1, 3}) {
      std::vector<at::Tensor> products(3);
      Workers(count).run(3, [&](std::int64_t i) { products[static_cast<std::size_t>(i)] = product(); });
      EXPECT_THAT(products, Each(SameAs(wanted)));
    }
  });
}

TEST(WorkersTest, LoopsOfATaskAreNotShared) {
  const int before = at::get_num_threads();
  at::set_num_threads(4);
  Workers workers(3);
  std::atomic<int> parts = 0;
  workers.run(3, [&](std::int64_t) {
    at::parallel_for(0, 4, 1, [&](std::int64_t, std::int64_t) { ++parts; });
    EXPECT_EQ(at::get_num_threads(), 1) << "after a loop";
  });
  EXPECT_EQ(parts, 3);
  at::set_num_threads(before);
}

TEST(WorkersTest, TheExceptionOfTheFirstTaskIsRethrown) {
  for (const std::int64_t count : {1, 3}) {
    Workers workers(count);
    std::atomic<int> begun = 0;
    const auto fail = [&] {
      workers.run(1000, [&](std::int64_t i) {
        ++begun;
        if (i >= 2) throw std::runtime_error(i == 2 ? "two" : "later");
      });
    };
    EXPECT_THAT(fail, ThrowsMessage<std::runtime_error>("two")) << count;
    EXPECT_LE(begun, 2 + count) << "tasks begin after a failure";
    int runs = 0;
    workers.run(1, [&](std::int64_t) { ++runs; });
    EXPECT_EQ(runs, 1) << "the workers still work";
  }
}

/// Counts the threads that have ever used it.
struct CountedThread {
  CountedThread() { ++count; }
  static inline std::atomic<int> count = 0;
};

TEST(KeptWorkersTest, ThreadsLastFromCallToCall) {
  const auto run = [](std::int64_t count) {
    std::atomic<std::int64_t> waiting = 0;
    run_on_kept_workers(count, count, [&](std::int64_t) {
      thread_local const CountedThread counted;
      static_cast<void>(&counted);
      ++waiting;
      while (waiting < count) std::this_thread::yield();
    });
  };
  for (int i = 0; i < 5; ++i) run(3);
  EXPECT_EQ(CountedThread::count, 3);
  for (int i = 0; i < 5; ++i) run(2);
  EXPECT_EQ(CountedThread::count, 4) << "one for another number";
}

TEST(KeptWorkersTest, ATaskMayCallItAndExceptionsLeaveIt) {
  std::atomic<int> runs = 0;
  for (int i = 0; i < 2; ++i) {
    run_on_kept_workers(2, 4, [&](std::int64_t) { run_on_kept_workers(2, 4, [&](std::int64_t) { ++runs; }); });
    EXPECT_THAT([] { run_on_kept_workers(2, 4, [](std::int64_t) { throw std::runtime_error("odd"); }); },
                ThrowsMessage<std::runtime_error>("odd"));
  }
  EXPECT_EQ(runs, 32);
}

/// Ends a forked process with 7 after the destructors of its thread. Those of LibTorch would wait for threads that its
/// parent had started.
[[noreturn]] void exit_before_libtorch() {
  std::atexit([] { ::_exit(7); });
  std::exit(8);
}

// The threads are not in the child, which must not wait for them, not even at its end.
TEST(KeptWorkersTest, AForkedProcessStartsItsOwn) {
  const auto run = [](std::int64_t count) {
    std::atomic<std::int64_t> waiting = 0;
    run_on_kept_workers(count, count, [&](std::int64_t) {
      ++waiting;
      while (waiting < count) std::this_thread::yield();
    });
  };
  run(2);
  EXPECT_EXIT(
      {
        ::alarm(60);
        run(2);
        exit_before_libtorch();
      },
      testing::ExitedWithCode(7), "");
  EXPECT_EXIT(
      {
        ::alarm(60);
        exit_before_libtorch();
      },
      testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace gloss
