#pragma once

#include <barrier>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <ATen/Functions.h>

#include "training/processes/exchange.h"

namespace gloss {

/// The meeting point of the exchanges of some threads.
struct ThreadMeeting {
  explicit ThreadMeeting(std::int64_t size) : sent(static_cast<std::size_t>(size)), barrier(size) {}

  std::vector<at::Tensor> sent;  ///< by rank
  std::barrier<> barrier;
};

/// Threads in place of processes, without a network.
class ThreadExchange final : public Exchange {
 public:
  ThreadExchange(ThreadMeeting& meeting, std::int64_t rank)
      : Exchange(rank, std::ssize(meeting.sent)), meeting_(&meeting) {}

  at::Tensor all_to_all(const at::Tensor& sent, const std::vector<std::int64_t>& received) override {
    return meet(sent, [&](const std::vector<at::Tensor>& all) {
      std::vector<at::Tensor> parts;
      for (std::size_t p = 0; p < all.size(); ++p) parts.push_back(all[p].narrow(0, rank() * received[p], received[p]));
      return at::cat(parts);
    });
  }
  at::Tensor all_gather(const at::Tensor& part) override {
    return meet(part.flatten(), [](const std::vector<at::Tensor>& all) { return at::cat(all); });
  }
  at::Tensor gather(const at::Tensor& part) override {
    return meet(part.flatten(),
                [&](const std::vector<at::Tensor>& all) { return is_first() ? at::cat(all) : at::Tensor(); });
  }

 private:
  at::Tensor meet(const at::Tensor& own, const std::function<at::Tensor(const std::vector<at::Tensor>&)>& use) {
    meeting_->sent[static_cast<std::size_t>(rank())] = own;
    meeting_->barrier.arrive_and_wait();
    auto result = use(meeting_->sent);
    meeting_->barrier.arrive_and_wait();
    return result;
  }

  ThreadMeeting* meeting_;
};

/// Calls `work` in `size` threads, each with its exchange. Rethrows an exception of the first thread that has one; the
/// others must have one at the same place.
inline void run_processes(std::int64_t size, const std::function<void(Exchange&)>& work) {
  ThreadMeeting meeting(size);
  std::vector<std::exception_ptr> exceptions(static_cast<std::size_t>(size));
  {
    std::vector<std::jthread> threads;
    for (std::int64_t rank = 0; rank < size; ++rank)
      threads.emplace_back([&, rank] {
        try {
          ThreadExchange exchange(meeting, rank);
          work(exchange);
        } catch (...) {
          exceptions[static_cast<std::size_t>(rank)] = std::current_exception();
        }
      });
  }
  for (const auto& exception : exceptions)
    if (exception) std::rethrow_exception(exception);
}

}  // namespace gloss
