#include "serve/service/request_pool.h"

#include <exception>
#include <utility>

namespace gloss {

RequestPool::RequestPool(std::size_t threads, std::size_t waiting) : max_threads_(threads), max_waiting_(waiting) {}

RequestPool::~RequestPool() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  added_.notify_all();
  for (auto& thread : threads_) thread.join();
}

bool RequestPool::add(std::function<void()> work, std::stop_token left) {
  const std::lock_guard lock(mutex_);
  const bool is_busy = running_ + queue_.size() >= threads_.size();
  if (is_busy && threads_.size() < max_threads_) {
    try {
      threads_.emplace_back([this] { run(); });
    } catch (const std::exception&) {  // no thread or no memory: goes on with those that there are
    }
  }
  if (queue_.size() >= max_waiting_)
    std::erase_if(queue_, [](const Waiting& waiting) { return waiting.left.stop_requested(); });
  if (threads_.empty() || (running_ == threads_.size() && queue_.size() >= max_waiting_)) return false;
  queue_.push_back({std::move(work), std::move(left)});
  added_.notify_one();
  return true;
}

std::size_t RequestPool::waiting() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

std::size_t RequestPool::running() const {
  const std::lock_guard lock(mutex_);
  return running_;
}

void RequestPool::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    added_.wait(lock, [this] { return ends_ || !queue_.empty(); });
    if (queue_.empty()) return;
    auto work = std::move(queue_.front().work);
    queue_.pop_front();
    ++running_;
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
    --running_;
  }
}

}  // namespace gloss
