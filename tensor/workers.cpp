#include "tensor/workers.h"

#include <algorithm>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "tensor/thread_count.h"

namespace gloss {

Workers::Workers(std::int64_t count) {
  threads_.reserve(static_cast<std::size_t>(count));
  try {
    while (std::ssize(threads_) < count - 1) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {  // no more threads
  } catch (const std::bad_alloc&) {
  }
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  begun_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void Workers::run(std::int64_t tasks, const std::function<void(std::int64_t)>& task) {
  const ThreadCount one(1);
  std::unique_lock lock(mutex_);
  task_ = &task;
  next_ = 0;
  tasks_ = tasks;
  exception_ = nullptr;
  begun_.notify_all();
  take_tasks(lock);
  ended_.wait(lock, [&] { return running_ == 0; });
  if (exception_) std::rethrow_exception(std::exchange(exception_, nullptr));
}

void Workers::work() {
  const ThreadCount one(1);
  std::unique_lock lock(mutex_);
  while (true) {
    begun_.wait(lock, [&] { return stopped_ || next_ < tasks_; });
    if (stopped_) return;
    take_tasks(lock);
  }
}

// Takes tasks until none is left.
void Workers::take_tasks(std::unique_lock<std::mutex>& lock) {
  while (next_ < tasks_) {
    const auto i = next_++;
    ++running_;
    const auto& task = *task_;
    lock.unlock();
    std::exception_ptr exception;
    try {
      task(i);
    } catch (...) {
      exception = std::current_exception();
    }
    lock.lock();
    --running_;
    if (!exception) continue;
    if (!exception_ || i < failed_) {
      exception_ = exception;
      failed_ = i;
    }
    next_ = tasks_;
  }
  if (running_ == 0) ended_.notify_all();
}

namespace {

/// The workers of a thread between its calls.
struct KeptWorkers {
  std::unique_ptr<Workers> workers;
  std::int64_t count = 0;
  pid_t process = 0;  ///< in which they live

  // After a fork there are no threads to end.
  void forget_those_before_fork() {
    if (process != ::getpid()) static_cast<void>(workers.release());
  }
  ~KeptWorkers() { forget_those_before_fork(); }
};

}  // namespace

void run_on_kept_workers(std::int64_t count, std::int64_t tasks, const std::function<void(std::int64_t)>& task) {
  if (std::min(count, tasks) < 2) return Workers(1).run(tasks, task);
  thread_local KeptWorkers kept;
  kept.forget_those_before_fork();
  auto workers = std::move(kept.workers);  // a task that calls this finds none
  if (!workers || kept.count != count) workers = std::make_unique<Workers>(count);
  const auto keep = [&] { kept.workers = std::move(workers), kept.count = count, kept.process = ::getpid(); };
  try {
    workers->run(tasks, task);
  } catch (...) {
    keep();
    throw;
  }
  keep();
}

}  // namespace gloss
