#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace gloss {

/// Threads for requests that wait for translations, and a queue in front of them.
class RequestPool {
 public:
  /// At most `threads` requests are worked on at a time, `waiting` more wait.
  RequestPool(std::size_t threads, std::size_t waiting);
  RequestPool(const RequestPool&) = delete;
  RequestPool& operator=(const RequestPool&) = delete;
  /// Finishes what was added.
  ~RequestPool();

  /// Adds work, which must not throw. Work whose `left` is requested before it begins makes room for others. Returns
  /// false if the queue is full, or no thread can be had.
  bool add(std::function<void()> work, std::stop_token left = {});

  std::size_t waiting() const;
  std::size_t running() const;

 private:
  struct Waiting {
    std::function<void()> work;
    std::stop_token left;
  };

  void run();

  const std::size_t max_threads_, max_waiting_;
  mutable std::mutex mutex_;  ///< guards what follows
  std::condition_variable added_;
  std::deque<Waiting> queue_;
  std::vector<std::thread> threads_;
  std::size_t running_ = 0;
  bool ends_ = false;
};

}  // namespace gloss
