#include "training/processes/heartbeat.h"

#include <exception>
#include <utility>

namespace gloss {
namespace {

constexpr std::chrono::seconds kInterval{1};
// Added to the beats of a process that has left.
constexpr std::int64_t kLeft = std::int64_t{1} << 40;
// The time in which the others read who is lost, before the store may end with process 0.
constexpr std::chrono::seconds kToTell{3};

std::string beats_of(std::int64_t rank) { return "beats of " + std::to_string(rank); }
constexpr const char* kLost = "lost";  // the lost process, from 1

std::string message_of(std::int64_t rank) {
  return "process " + std::to_string(rank) + " of this run does not answer; this one ends";
}

}  // namespace

Heartbeat::Heartbeat(c10::intrusive_ptr<c10d::Store> store, std::int64_t rank, std::int64_t size,
                     std::function<void(const std::string&)> lost)
    : store_(std::move(store)), rank_(rank), lost_(std::move(lost)) {
  for (std::int64_t p = 0; p < size; ++p)
    if (p != rank && (rank == 0 || p == 0)) others_.push_back({p, 0, Clock::now()});
  beating_ = std::thread([this] { beat(); });
  watching_ = std::thread([this] { watch(); });
}

Heartbeat::~Heartbeat() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  ended_.notify_all();
  beating_.join();
  watching_.join();
}

// Waits, and returns whether to go on.
bool Heartbeat::pause(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return !ended_.wait_for(lock, time, [&] { return ends_; });
}

void Heartbeat::beat() {
  try {
    do {
      store_->add(beats_of(rank_), 1);
      look_at_others();
      const std::lock_guard lock(mutex_);
      answered_ = Clock::now();
    } while (pause(kInterval));
    store_->add(beats_of(rank_), kLeft);
  } catch (const std::exception& fault) {  // the store has gone
    const std::lock_guard lock(mutex_);
    answered_ = {};
  }
}

void Heartbeat::look_at_others() {
  if (const auto lost = rank_ == 0 ? 0 : store_->add(kLost, 0); lost > 0) return report(message_of(lost - 1));
  for (auto& other : others_) {
    const auto beats = store_->add(beats_of(other.rank), 0);
    if (std::exchange(other.beats, beats) != beats || beats >= kLeft) other.changed = Clock::now();
    if (Clock::now() - other.changed < kPatience) continue;
    store_->add(kLost, other.rank + 1);
    pause(kToTell);
    report(message_of(other.rank));
  }
}

// The beating thread may wait for a store that does not answer.
void Heartbeat::watch() {
  while (pause(kInterval)) {
    const auto answered = [&] {
      const std::lock_guard lock(mutex_);
      return answered_;
    }();
    if (Clock::now() - answered >= kPatience)
      report("process 0 of this run, or the machine that started it, does not answer; this one ends");
  }
}

void Heartbeat::report(const std::string& message) {
  {
    const std::lock_guard lock(mutex_);
    if (ends_ || std::exchange(reported_, true)) return;
  }
  lost_(message);
}

}  // namespace gloss
