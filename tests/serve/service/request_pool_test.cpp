#include "serve/service/request_pool.h"

#include <atomic>
#include <future>
#include <stop_token>

#include <gtest/gtest.h>

namespace gloss {
namespace {

TEST(RequestPool, RefusesWhatItsQueueDoesNotHold) {
  std::promise<void> gate;
  const auto open = gate.get_future().share();
  std::atomic<int> done = 0;
  const auto work = [&] { open.wait(), ++done; };
  {
    RequestPool pool(1, 2);
    EXPECT_TRUE(pool.add(work));
    while (pool.running() == 0) std::this_thread::yield();
    EXPECT_TRUE(pool.add(work));
    EXPECT_TRUE(pool.add(work));
    EXPECT_FALSE(pool.add(work));
    EXPECT_EQ(pool.waiting(), 2U);
    gate.set_value();
  }
  EXPECT_EQ(done, 3) << "the end of the pool waits";
}

TEST(RequestPool, WhoHasLeftMakesRoom) {
  std::promise<void> gate;
  const auto open = gate.get_future().share();
  std::atomic<int> done = 0;
  std::stop_source left;
  {
    RequestPool pool(1, 1);
    pool.add([&] { open.wait(), ++done; });
    while (pool.running() == 0) std::this_thread::yield();
    EXPECT_TRUE(pool.add([&] { done += 100; }, left.get_token()));
    EXPECT_FALSE(pool.add([&] { ++done; }));
    left.request_stop();
    EXPECT_TRUE(pool.add([&] { ++done; }));
    gate.set_value();
  }
  EXPECT_EQ(done, 2);
}

}  // namespace
}  // namespace gloss
