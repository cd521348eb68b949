#include "training/processes/heartbeat.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include "common/system/signals.h"

namespace gloss {
namespace {

// Added to the beats of a process that has left.
constexpr std::int64_t kLeft = std::int64_t{1} << 40;
// Checks in which the others read which process is lost, or mark that they have left, before the store may end with
// process 0.
constexpr int kChecksForOthers = 3;
// Checks without the store in which a run may save if it is stopped because its starter has ended. If it was stopped
// before, the starter got a second signal, and the run ends at once.
constexpr int kChecksToSave = 600;

std::string beats_of(std::int64_t rank) { return "beats of " + std::to_string(rank); }
std::string lost_mark(std::int64_t rank) { return "lost " + std::to_string(rank); }
std::string stop_mark(ExitCode code) { return "stop " + std::to_string(static_cast<int>(code)); }
constexpr const char* kSomeLost = "lost";  // the number of lost processes

std::string message_of(std::int64_t rank) {
  return "process " + std::to_string(rank) + " of this run does not answer, so this one ends";
}

}  // namespace

class Heartbeat::Watch {
 public:
  Watch(c10::intrusive_ptr<c10d::Store> store, std::int64_t rank, std::int64_t size,
        std::function<void(const std::string&)> lost, std::chrono::milliseconds interval)
      : store_(std::move(store)), rank_(rank), size_(size), lost_(std::move(lost)), interval_(interval) {
    for (std::int64_t p = 0; p < size; ++p)
      if (p != rank && (rank == 0 || p == 0)) others_.push_back({p});
  }

  void beat() {
    try {
      beat_until_end();
    } catch (const std::exception&) {  // the store has ended
      const std::lock_guard lock(mutex_);
      stops_with_store_ = !stopped_;
      checks_without_answer_ = kPatience - 1;
    }
    const std::lock_guard lock(mutex_);
    beat_ended_ = true;
    ended_.notify_all();
  }

  // The beating thread may wait for a store that does not answer.
  void watch() {
    while (pause(1)) {
      const bool is_lost = [&] {
        const std::lock_guard lock(mutex_);
        return ++checks_without_answer_ > (stops_with_store_ && stop_requested() ? kChecksToSave : kPatience);
      }();
      if (is_lost) report("process 0 of this run, or the program that started it, does not answer, so this one ends");
    }
  }

  /// Ends both threads.
  void end(bool leaves) {
    const std::lock_guard lock(mutex_);
    if (leaves) leaves_ = true;  // else the beating thread may read it
    ends_ = true;
    ended_.notify_all();
  }

  /// Returns whether the beating thread ends within some seconds.
  bool beat_ends() {
    std::unique_lock lock(mutex_);
    return ended_.wait_for(lock, interval_ * (2 * kChecksForOthers), [&] { return beat_ended_; });
  }

 private:
  /// The latest heartbeats of another process.
  struct Other {
    std::int64_t rank;
    std::int64_t beats = 0;
    int checks = 0;  ///< since `beats` changed
  };

  // Waits, and returns whether to go on.
  bool pause(int checks) {
    std::unique_lock lock(mutex_);
    return !ended_.wait_for(lock, interval_ * checks, [&] { return ends_; });
  }

  void beat_until_end() {
    do {
      store_->add(beats_of(rank_), 1);
      share_stop();
      check_others();
      const std::lock_guard lock(mutex_);
      checks_without_answer_ = 0;
    } while (pause(1));
    share_stop();
    if (!leaves_ && !stop_requested()) return;
    store_->add(beats_of(rank_), kLeft);
    for (int check = 0; rank_ == 0 && check < kChecksForOthers && !all_left(); ++check)
      std::this_thread::sleep_for(interval_);
  }

  // Before the first update processes stop where they are, in the middle of an exchange, too: the others must know why.
  void share_stop() {
    for (const auto code : {ExitCode::kInterrupted, ExitCode::kTerminated})
      if (store_->add(stop_mark(code), stop_requested() == code ? 1 : 0) > 0) request_stop(code);
    stopped_ = stop_requested().has_value();
  }

  bool all_left() {
    return std::ranges::all_of(others_, [&](const Other& other) {
      const auto beats = store_->add(beats_of(other.rank), 0);
      return beats == 0 || beats >= kLeft;
    });
  }

  void check_others() {
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
      pause(kChecksForOthers);
      report(message_of(other.rank));
    }
  }

  void report(const std::string& message) {
    {
      const std::lock_guard lock(mutex_);
      if (ends_ || std::exchange(reported_, true)) return;
    }
    lost_(message);
  }

  c10::intrusive_ptr<c10d::Store> store_;
  std::int64_t rank_, size_;
  std::function<void(const std::string&)> lost_;
  std::chrono::milliseconds interval_;
  std::vector<Other> others_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ends_ = false, leaves_ = false, beat_ended_ = false;
  bool reported_ = false;
  bool stopped_ = false;           ///< at the last heartbeat
  bool stops_with_store_ = false;  ///< the store has ended, and no stop was requested before
  int checks_without_answer_ = 0;  ///< of the store
};

Heartbeat::Heartbeat(c10::intrusive_ptr<c10d::Store> store, std::int64_t rank, std::int64_t size,
                     std::function<void(const std::string&)> lost, std::chrono::milliseconds interval)
    : watch_(std::make_shared<Watch>(std::move(store), rank, size, std::move(lost), interval)) {
  beating_ = std::thread([watch = watch_] { watch->beat(); });
  try {
    watching_ = std::thread([watch = watch_] { watch->watch(); });
  } catch (const std::system_error&) {  // the limit of threads is reached
    watch_->end(/*leaves=*/false);
    beating_.join();
    throw;
  }
}

Heartbeat::~Heartbeat() {
  watch_->end(/*leaves=*/false);
  watching_.join();
  watch_->beat_ends() ? beating_.join() : beating_.detach();
}

void Heartbeat::leave() { watch_->end(/*leaves=*/true); }

void mark_lost(c10d::Store& store, std::int64_t rank) {
  store.add(lost_mark(rank), 1);
  store.add(kSomeLost, 1);
}

}  // namespace gloss
