#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include <torch/csrc/distributed/c10d/Store.hpp>

namespace gloss {

/// Watches the other processes of a run. Each process counts up a number in the store once a second, in a thread of its
/// own: a slow operation stops no heartbeat. Process 0 watches all, the others process 0, which writes the number of a
/// lost process into the store. A process is watched from its first heartbeat on. A stop that is requested in one
/// process (common/system/signals.h) is requested in all.
class Heartbeat {
 public:
  /// Number of checks, one a second, without a new heartbeat after which a process is lost. Checks are counted instead
  /// of time, so that no process counts as lost when a suspended machine wakes.
  static constexpr int kPatience = 15;

  /// `store` must have a connection of its own. `lost` gets a message, in another thread, and should end the process:
  /// the main thread may wait for the lost one. It is called once at most. `interval`: of heartbeats and checks.
  Heartbeat(c10::intrusive_ptr<c10d::Store> store, std::int64_t rank, std::int64_t size,
            std::function<void(const std::string& message)> lost,
            std::chrono::milliseconds interval = std::chrono::seconds(1));
  /// Leaves a thread that still waits for a store that does not answer.
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  /// Ends the watch, after an orderly end: marks in the store that this process has left and is not lost. Process 0
  /// then waits until all have left, some seconds at most, since the store may end with it.
  void leave();

 private:
  class Watch;  ///< the work of both threads
  std::shared_ptr<Watch> watch_;
  std::thread beating_, watching_;
};

/// Marks in the store that a process is lost: all others end within about a second.
void mark_lost(c10d::Store& store, std::int64_t rank);

}  // namespace gloss
