#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace gloss {

/// Threads for independent tasks. Each task computes LibTorch's operations on one thread (ThreadCount), so its bits do
/// not depend on the number of workers. A worker without a task sleeps.
class Workers {
 public:
  /// Starts `count` - 1 threads, `count` at least 1; the thread that calls `run` is one of the workers. If the system
  /// refuses some, there are fewer.
  explicit Workers(std::int64_t count);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();

  /// Calls task(i) for each i from 0 to `tasks` - 1, begun in this order, each on the next worker that is free. Returns
  /// when all have ended. After an exception no other task begins, and the one of the smallest i is rethrown. Must not
  /// be called by two threads at once, nor from a task.
  void run(std::int64_t tasks, const std::function<void(std::int64_t)>& task);

 private:
  void work();
  void take_tasks(std::unique_lock<std::mutex>& lock);

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable begun_, ended_;
  const std::function<void(std::int64_t)>* task_ = nullptr;
  std::int64_t next_ = 0, tasks_ = 0, running_ = 0;  ///< of the current `run`
  std::int64_t failed_ = 0;                          ///< the smallest task with an exception
  std::exception_ptr exception_;
  bool stopped_ = false;
};

/// Does the same as Workers(count).run(tasks, task). The threads last as long as the calling one, which keeps them for
/// its next call with the same count: for each thread that has ever multiplied matrices, MKL keeps memory for good. A
/// call from a task, and the first one after a fork, start others.
void run_on_kept_workers(std::int64_t count, std::int64_t tasks, const std::function<void(std::int64_t)>& task);

}  // namespace gloss
