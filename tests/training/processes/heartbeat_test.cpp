#include "training/processes/heartbeat.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "common/system/signals.h"

namespace gloss {
namespace {

using testing::HasSubstr;

constexpr std::chrono::milliseconds kInterval{1};

/// A store that lasts, fails or does not answer.
class OddStore final : public c10d::HashStore {
 public:
  enum class Way { kAnswers, kFails, kHangs };

  std::int64_t add(const std::string& key, std::int64_t value) override {
    if (way == Way::kFails) {
      if (stops_run) request_stop(ExitCode::kTerminated);
      throw std::runtime_error("Connection reset by peer");
    }
    if (way == Way::kHangs) {
      if (!hung.exchange(true)) hangs.count_down();
      released.wait();
    }
    return HashStore::add(key, value);
  }

  std::atomic<Way> way = Way::kAnswers;
  std::atomic<bool> stops_run = false;  ///< when it fails
  std::atomic<bool> hung = false;
  std::latch hangs{1}, released{1};
};

class HeartbeatTest : public testing::Test {
 protected:
  void TearDown() override { const StopOnSignal forgets_the_last_stop; }

  std::unique_ptr<Heartbeat> process(std::int64_t rank, std::promise<std::string>* lost = nullptr) {
    const auto report = [lost](const std::string& message) {
      if (lost == nullptr)
        ADD_FAILURE() << message;
      else
        lost->set_value(message);
    };
    return std::make_unique<Heartbeat>(store_, rank, 2, report, kInterval);
  }
  /// Waits until the process has beaten `more` times.
  void wait_for_beats(std::int64_t rank, std::int64_t more) { wait_for_beats(*store_, rank, more); }
  static void wait_for_beats(c10d::HashStore& store, std::int64_t rank, std::int64_t more) {
    const auto key = "beats of " + std::to_string(rank);
    const auto first = store.HashStore::add(key, 0);
    while (store.HashStore::add(key, 0) < first + more) std::this_thread::yield();
  }

  c10::intrusive_ptr<OddStore> store_ = c10::make_intrusive<OddStore>();
};

TEST_F(HeartbeatTest, AProcessThatEndsWithoutLeavingIsLost) {
  std::promise<std::string> lost;
  const auto first = process(0, &lost);
  {
    const auto second = process(1);
    wait_for_beats(1, 1);
    wait_for_beats(0, 2);  // process 0 has seen them
  }
  EXPECT_THAT(lost.get_future().get(), HasSubstr("process 1 of this run does not answer"));
}

TEST_F(HeartbeatTest, AProcessThatLeavesIsNot) {
  const auto first = process(0);
  {
    const auto second = process(1);
    wait_for_beats(1, 1);
    second->leave();
  }
  wait_for_beats(0, 2 * Heartbeat::kPatience);
  first->leave();
}

TEST_F(HeartbeatTest, AStopOfAnotherProcessIsAStopOfThisOne) {
  const auto first = process(0);
  wait_for_beats(0, 2);
  EXPECT_FALSE(stop_requested());
  store_->HashStore::add("stop 143", 1);
  wait_for_beats(0, 2);
  EXPECT_EQ(stop_requested(), ExitCode::kTerminated);
}

TEST_F(HeartbeatTest, AStopOfThisProcessIsPassedOnThoughItEndsAtOnce) {
  {
    const auto first = process(0);
    wait_for_beats(0, 1);
    request_stop(ExitCode::kInterrupted);
  }
  EXPECT_GT(store_->HashStore::add("stop 130", 0), 0);
  EXPECT_EQ(store_->HashStore::add("stop 143", 0), 0);
}

TEST_F(HeartbeatTest, IfTheStoreEndsTheRunIsLost) {
  std::promise<std::string> lost;
  const auto second = process(1, &lost);
  wait_for_beats(1, 1);
  store_->way = OddStore::Way::kFails;
  EXPECT_THAT(lost.get_future().get(), HasSubstr("the program that started it, does not answer"));
}

TEST_F(HeartbeatTest, IfTheRunWasStoppedByTheEndOfItsStarterItMaySave) {
  const auto second = process(1);  // fails the test if it counts as lost
  wait_for_beats(1, 1);
  store_->stops_run = true;
  store_->way = OddStore::Way::kFails;
  const auto other_store = c10::make_intrusive<c10d::HashStore>();
  const Heartbeat clock(
      other_store, 0, 1, [](const std::string&) {}, kInterval);
  wait_for_beats(*other_store, 0, 4 * Heartbeat::kPatience);
  EXPECT_EQ(stop_requested(), ExitCode::kTerminated);
}

TEST_F(HeartbeatTest, AStoreThatDoesNotAnswerHoldsUpNoEnd) {
  {
    const auto second = process(1);
    wait_for_beats(1, 1);
    store_->way = OddStore::Way::kHangs;
    store_->hangs.wait();
  }
  store_->released.count_down();
}

}  // namespace
}  // namespace gloss
