#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <torch/csrc/distributed/c10d/Store.hpp>

namespace gloss {

/// Watches the other processes of a run while an object lives. Each process counts up a number in the store once a
/// second, in a thread of its own: a slow operation stops no heartbeat. Process 0 watches all, the others process 0,
/// which tells them of a process that is lost.
class Heartbeat {
 public:
  /// Time without a heartbeat, or without an answer of the store, after which a process is lost.
  static constexpr std::chrono::seconds kPatience{15};

  /// `store` must have a connection of its own. `lost` gets a message, in another thread, and should end the process:
  /// the main thread may wait for the lost one. It is called once at most.
  Heartbeat(c10::intrusive_ptr<c10d::Store> store, std::int64_t rank, std::int64_t size,
            std::function<void(const std::string& message)> lost);
  /// Tells the others that this process has left and is not lost.
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

 private:
  using Clock = std::chrono::steady_clock;

  /// The latest heartbeats of another process.
  struct Other {
    std::int64_t rank;
    std::int64_t beats = 0;
    Clock::time_point changed;
  };

  void beat();
  void watch();
  bool pause(std::chrono::milliseconds time);
  void look_at_others();
  void report(const std::string& message);

  c10::intrusive_ptr<c10d::Store> store_;
  std::int64_t rank_;
  std::function<void(const std::string&)> lost_;
  std::vector<Other> others_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ends_ = false;
  bool reported_ = false;
  Clock::time_point answered_ = Clock::now();  ///< the last answer of the store
  std::thread beating_, watching_;
};

}  // namespace gloss
