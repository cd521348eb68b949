#include "training/processes/heartbeat.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

namespace gloss {
namespace {

constexpr std::chrono::seconds kInterval{1};
// Added to the beats of a process that has left.
constexpr std::int64_t kLeft = std::int64_t{1} << 40;
// Time for the others to read which process is lost, or to mark that they have left, before the store may end with
// process 0.
constexpr int kSecondsForOthers = 3;

std::string beats_of(std::int64_t rank) { return "beats of " + std::to_string(rank); }
std::string lost_mark(std::int64_t rank) { return "lost " + std::to_string(rank); }
constexpr const char* kSomeLost = "lost";  // the number of lost processes

std::string message_of(std::int64_t rank) {
  return "process " + std::to_string(rank) + " of this run does not answer, so this one ends";
}

}  // namespace

Heartbeat::Heartbeat(c10::intrusive_ptr<c10d::Store> store, std::int64_t rank, std::int64_t size,
                     std::function<void(const std::string&)> lost)
    : store_(std::move(store)), rank_(rank), size_(size), lost_(std::move(lost)) {
  for (std::int64_t p = 0; p < size; ++p)
    if (p != rank && (rank == 0 || p == 0)) others_.push_back({p});
  beating_ = std::thread([this] { beat(); });
  try {
    watching_ = std::thread([this] { watch(); });
  } catch (const std::system_error&) {  // the limit of threads is reached
    end();
    beating_.join();
    throw;
  }
}

Heartbeat::~Heartbeat() {
  end();
  beating_.join();
  watching_.join();
}

void Heartbeat::leave() {
  leaves_ = true;
  end();
}

void Heartbeat::end() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  ended_.notify_all();
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
      check_others();
      const std::lock_guard lock(mutex_);
      checks_without_answer_ = 0;
    } while (pause(kInterval));
    if (!leaves_) return;
    store_->add(beats_of(rank_), kLeft);
    for (int second = 0; rank_ == 0 && second < kSecondsForOthers && !all_left(); ++second)
      std::this_thread::sleep_for(kInterval);
  } catch (const std::exception&) {  // the store has ended
    const std::lock_guard lock(mutex_);
    checks_without_answer_ = kPatience;
  }
}

bool Heartbeat::all_left() {
  return std::ranges::all_of(others_,
                             [&](const Other& other) { return store_->add(beats_of(other.rank), 0) >= kLeft; });
}

void Heartbeat::check_others() {
  if (store_->add(kSomeLost, 0) > 0) {
    for (std::int64_t p = 0; p < size_; ++p)
      if (p != rank_ && store_->add(lost_mark(p), 0) > 0) return report(message_of(p));
  }
  for (auto& other : others_) {
    const auto beats = store_->add(beats_of(other.rank), 0);
    const bool lives = std::exchange(other.beats, beats) != beats || beats == 0 || beats >= kLeft;
    other.checks = lives ? 0 : other.checks + 1;
    if (other.checks < kPatience) continue;
    mark_lost(*store_, other.rank);
    pause(std::chrono::seconds(kSecondsForOthers));
    report(message_of(other.rank));
  }
}

// The beating thread may wait for a store that does not answer.
void Heartbeat::watch() {
  while (pause(kInterval)) {
    const bool is_lost = [&] {
      const std::lock_guard lock(mutex_);
      return ++checks_without_answer_ > kPatience;
    }();
    if (is_lost) report("process 0 of this run, or the program that started it, does not answer, so this one ends");
  }
}

void mark_lost(c10d::Store& store, std::int64_t rank) {
  store.add(lost_mark(rank), 1);
  store.add(kSomeLost, 1);
}

void Heartbeat::report(const std::string& message) {
  {
    const std::lock_guard lock(mutex_);
    if (ends_ || std::exchange(reported_, true)) return;
  }
  lost_(message);
}

}  // namespace gloss
