#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include <sys/types.h>

#include "translation/translation_batch.h"

namespace gloss {

/// A batch that was computed.
struct ComputedBatch {
  std::size_t lines;
  std::chrono::steady_clock::duration time;          ///< of the computation
  std::chrono::steady_clock::duration longest_wait;  ///< of a line, since its call
};

/// Translates the lines of any number of calls on a fixed number of threads: its own and those of the callers, which
/// take work while their own lines wait. A free thread searches the lines of the next call together with those of other
/// calls that go with them. Calls take turns, and one of few lines has batches without those of long ones, so that a
/// book does not keep a word waiting. On the CPU each batch is
/// computed on one thread; if it is all there is to do, on all of them, unless OpenMP's would spin meanwhile.
///
/// Threads start when there is more than one batch, and end with the runner. If the system refuses some, there are
/// fewer.
class TranslationRunner {
 public:
  /// Who computes: threads of the runner and those that call, or, for many callers that wait at a time, its own alone.
  /// A caller whose tokens are streamed computes in either case.
  enum class Callers { kCompute, kWait };

  /// Gets each batch that was computed, on the thread that computed it.
  using Observer = std::function<void(const ComputedBatch&)>;

  /// `workers`: batches computed at a time, at least 1.
  explicit TranslationRunner(std::int64_t workers, Callers callers = Callers::kCompute, Observer observer = {});
  TranslationRunner(const TranslationRunner&) = delete;
  TranslationRunner& operator=(const TranslationRunner&) = delete;
  ~TranslationRunner();

  /// Returns when all lines of the jobs are done, given up, or not wanted any longer. Hooks may call it. Throws
  /// UsageError in a process that was forked while there were threads or calls: they are gone, and would be waited for
  /// for ever.
  void run(std::span<TranslationJob* const> jobs);
  void run(TranslationJob& job) { run(std::array{&job}); }

  std::int64_t workers() const { return workers_; }
  /// Returns how many jobs have lines that are not done.
  std::size_t waiting_calls();
  /// Returns how many lines are in no batch yet.
  std::size_t waiting_lines();

  /// While an object lives, the batch that this thread computes, if any, leaves its place to another: a hook of unknown
  /// length runs, which may wait for other calls.
  class Pause {
   public:
    Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
    ~Pause();

   private:
    TranslationRunner* runner_;
    std::int64_t places_;
  };

 private:
  using Lock = std::unique_lock<std::mutex>;

  void expect_own_process() const;
  void take_places(std::int64_t count);
  bool may_compute(const TranslationJob& job) const;
  void wake_computing();
  void start_threads(const Lock& lock);
  std::vector<JobLine> take_for_caller(std::span<TranslationJob* const> jobs, std::thread::id self);
  bool is_all_there_is() const;
  bool has_job(std::thread::id thread) const;
  std::size_t count_waiting_lines() const;
  void work();
  TranslationJob* next_job(std::thread::id thread);
  std::vector<JobLine> take(TranslationJob& leader);
  std::size_t lines_that_go_with(const TranslationJob& leader) const;
  void add_neighbors(const TranslationJob& leader, std::size_t count, std::vector<JobLine>& batch);
  void compute(const std::vector<JobLine>& batch, bool on_all_threads, Lock& lock);
  void repeat(const std::vector<JobLine>& batch, std::exception_ptr exception, bool is_memory);
  static void give_up(TranslationJob& job);

  const std::int64_t workers_;
  const Callers callers_;
  const Observer observer_;
  const pid_t process_;
  std::atomic<std::int64_t> calls_ = 0;  ///< of run, now
  std::atomic<bool> has_threads_ = false;
  std::mutex mutex_;  ///< guards what follows, and TranslationJob::waiting
  std::unique_ptr<std::condition_variable> has_work_ = std::make_unique<std::condition_variable>();  ///< for threads_
  std::vector<std::thread> threads_;
  std::deque<TranslationJob*> jobs_;  ///< the one whose turn it is first
  bool had_short_turn_ = false;       ///< the last turn was that of a short call
  std::int64_t running_ = 0;          ///< batches, or threads of the one on all threads
  bool stopped_ = false;
};

}  // namespace gloss
