#include "translation/translation_runner.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <new>
#include <stop_token>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "common/error.h"
#include "tensor/out_of_memory.h"
#include "tensor/runtime.h"
#include "tensor/thread_count.h"

namespace gloss {
namespace {

/// A step reads all weights, whatever the number of rows, so small batches cost more for each row; large ones leave
/// threads without a batch. Not tuned by measurement.
constexpr std::size_t kMinRows = 8;

/// The runner whose batch this thread computes. A hook that translates again must not wait for its own thread.
thread_local TranslationRunner* computing = nullptr;
thread_local std::int64_t places = 0;  ///< that this batch has taken of the runner's

/// Returns the number of sentences of the next batch of `lines` that wait: at most the configured size, and less if
/// otherwise one of the `free` workers would have no batch.
std::size_t size_of_batch(const DecodingConfig& config, std::size_t lines, std::int64_t free) {
  const auto parts =
      std::clamp<std::size_t>(lines / kMinRows, 1, static_cast<std::size_t>(std::max<std::int64_t>(1, free)));
  return std::min(static_cast<std::size_t>(config.batch_size), (lines + parts - 1) / parts);
}

/// Returns the first deadline of lines that still wait. Absent if there is none.
std::optional<std::chrono::steady_clock::time_point> next_deadline(std::span<TranslationJob* const> jobs) {
  std::optional<std::chrono::steady_clock::time_point> next;
  for (const auto* const job : jobs) {
    const auto& deadline = job->hooks().deadline;
    if (deadline && job->waiting.any() && (!next || *deadline < *next)) next = deadline;
  }
  return next;
}

/// Returns whether a job has lines that a thread may search.
bool may_search(const TranslationJob& job, std::thread::id thread) {
  return job.waiting.any() && (!job.streams() || job.waiting.caller->thread == thread);
}

/// Calls of few lines are searched without those of long ones, which would keep them waiting to the end of a full
/// batch.
bool is_short(const TranslationJob& job) {
  constexpr std::size_t kFewLines = 8;
  return job.lines() <= kFewLines;
}

/// Returns whether a batch of `leader` may have lines of a job.
bool may_join(const TranslationJob& job, const TranslationJob& leader) {
  return job.goes_with(leader) && is_short(job) == is_short(leader);
}

std::size_t length(const JobLine& line) { return line.job->source(line.line).size(); }

}  // namespace

TranslationRunner::TranslationRunner(std::int64_t workers, Callers callers, Observer observer)
    : workers_(workers), callers_(callers), observer_(std::move(observer)), process_(::getpid()) {
  if (workers < 1) throw UsageError("workers: wanted at least 1, got " + std::to_string(workers));
}

TranslationRunner::~TranslationRunner() {
  if (::getpid() != process_) {  // there are no threads to end; the condition would wait for them
    static_cast<void>(new std::vector(std::move(threads_)));
    static_cast<void>(has_work_.release());
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  has_work_->notify_all();
  for (auto& thread : threads_) thread.join();
}

void TranslationRunner::expect_own_process() const {
  if (::getpid() != process_ && (has_threads_ || calls_ > 0))
    throw UsageError(
        "threads: wanted 1 in a process that was forked from one with a translator of several; load it "
        "again after the fork");
}

void TranslationRunner::run(std::span<TranslationJob* const> jobs) {
  expect_own_process();
  TranslationJob::Caller caller;
  const auto self = caller.thread;
  const auto wake = [this, &caller] {
    const std::lock_guard guard(mutex_);
    caller.changed.notify_one();
  };
  std::list<std::stop_callback<std::function<void()>>> on_stop;
  for (auto* const job : jobs) {
    job->waiting.caller = &caller;
    if (job->hooks().stop.stop_possible()) on_stop.emplace_back(job->hooks().stop, wake);
  }
  ++calls_;
  Lock lock(mutex_);
  jobs_.insert(jobs_.end(), jobs.begin(), jobs.end());  // from here on, no exception may leave them there
  start_threads(lock);
  wake_computing();

  while (true) {
    for (auto* const job : jobs)
      if (!job->wanted()) job->waiting.lines.clear(), job->waiting.batches.clear();
    const auto delivers = std::ranges::find_if(jobs, [](auto* job) { return job->has_to_deliver(); });
    if (delivers != jobs.end()) {
      lock.unlock();
      (*delivers)->deliver();
      lock.lock();
      continue;
    }
    if (std::ranges::all_of(jobs, [](const auto* job) { return job->waiting.finished(); })) break;
    std::vector<JobLine> batch;
    try {
      batch = take_for_caller(jobs, self);
    } catch (const std::bad_alloc&) {
      for (auto* const job : jobs) give_up(*job);
      continue;
    }
    if (!batch.empty()) {
      compute(batch, is_all_there_is(), lock);
    } else if (const auto deadline = next_deadline(jobs)) {
      caller.changed.wait_until(lock, *deadline);
    } else {
      caller.changed.wait(lock);
    }
  }
  std::erase_if(jobs_, [&](auto* job) { return std::ranges::find(jobs, job) != jobs.end(); });
  lock.unlock();
  on_stop.clear();
  --calls_;
}

TranslationRunner::Pause::Pause() : runner_(computing), places_(places) {
  if (runner_ != nullptr) runner_->take_places(-places_);
}

TranslationRunner::Pause::~Pause() {
  if (runner_ != nullptr) runner_->take_places(places_);
}

std::size_t TranslationRunner::waiting_calls() {
  const std::lock_guard lock(mutex_);
  return jobs_.size();
}

/// Takes places, without waiting for them, or gives them back.
void TranslationRunner::take_places(std::int64_t count) {
  const std::lock_guard lock(mutex_);
  running_ += count;
  if (count < 0) wake_computing();
}

bool TranslationRunner::may_compute(const TranslationJob& job) const {
  return callers_ == Callers::kCompute || threads_.empty() || job.streams();
}

/// Wakes the threads that may compute: lines or a place have come.
void TranslationRunner::wake_computing() {
  has_work_->notify_all();
  for (auto* const job : jobs_)
    if (job->waiting.any() && may_compute(*job)) job->waiting.caller->changed.notify_one();
}

/// Returns the lines that a thread which waits for `jobs` computes meanwhile; may be none.
std::vector<JobLine> TranslationRunner::take_for_caller(std::span<TranslationJob* const> jobs, std::thread::id self) {
  const bool is_within_batch = computing == this;
  const auto own = std::ranges::find_if(
      jobs, [&](const auto* job) { return job->waiting.any() && (is_within_batch || may_compute(*job)); });
  if (own == jobs.end() || (!is_within_batch && running_ >= workers_)) return {};
  const bool takes_turns = !is_within_batch && (callers_ == Callers::kCompute || threads_.empty());
  return take(takes_turns ? *next_job(self) : **own);
}

/// Returns whether no other batch is computed or waits, so that the next one may have all threads.
bool TranslationRunner::is_all_there_is() const {
  return workers_ > 1 && running_ == 0 && std::ranges::none_of(jobs_, [](auto* job) { return job->waiting.any(); }) &&
         openmp_threads_sleep();
}

void TranslationRunner::start_threads(const Lock&) {
  const auto wanted = callers_ == Callers::kWait ? workers_ : workers_ - 1;
  std::size_t lines = 0;
  bool is_more = callers_ == Callers::kWait;  // than one batch
  for (const auto* const job : jobs_) {
    if (job->streams()) continue;
    lines += job->waiting.lines.size();
    is_more = is_more || size_of_batch(job->config(), lines, workers_) < lines;
  }
  if (!is_more) return;
  try {
    while (std::ssize(threads_) < wanted) {
      threads_.emplace_back([this] { work(); });
      has_threads_ = true;
    }
  } catch (const std::system_error&) {  // no more threads
  } catch (const std::bad_alloc&) {
  }
}

void TranslationRunner::work() {
  // Callers that wait for one line each send the next one soon after the last batch: a batch of the first that arrive
  // would read all weights for them alone. A thread waits for as many lines as it has just computed, for a small part
  // of the time that they took.
  constexpr std::chrono::milliseconds kMinPatience(2), kMaxPatience(20);
  std::size_t last_size = 0;
  std::chrono::steady_clock::time_point patience;
  Lock lock(mutex_);
  while (!stopped_) {
    const auto self = std::this_thread::get_id();
    if (running_ >= workers_ || !has_job(self)) {
      has_work_->wait(lock);
      continue;
    }
    if (callers_ == Callers::kWait && count_waiting_lines() < last_size &&
        std::chrono::steady_clock::now() < patience) {
      has_work_->wait_until(lock, patience);
      continue;
    }
    auto& leader = *next_job(self);
    std::vector<JobLine> batch;
    try {
      batch = take(leader);
    } catch (const std::bad_alloc&) {
      give_up(leader);
      continue;
    }
    const auto begin = std::chrono::steady_clock::now();
    compute(batch, callers_ == Callers::kWait && is_all_there_is(), lock);
    const auto end = std::chrono::steady_clock::now();
    last_size = batch.size();
    patience = end + std::clamp<std::chrono::steady_clock::duration>((end - begin) / 16, kMinPatience, kMaxPatience);
  }
}

bool TranslationRunner::has_job(std::thread::id thread) const {
  return std::ranges::any_of(jobs_, [&](const auto* job) { return may_search(*job, thread); });
}

std::size_t TranslationRunner::waiting_lines() {
  const std::lock_guard lock(mutex_);
  return count_waiting_lines();
}

std::size_t TranslationRunner::count_waiting_lines() const {
  std::size_t lines = 0;
  for (const auto* const job : jobs_) lines += job->waiting.lines.size();
  return lines;
}

/// Returns the job whose turn it is and that `thread` may search, and puts it last. Null if there is none.
TranslationJob* TranslationRunner::next_job(std::thread::id thread) {
  // Short and long calls alternate: a short one waits for one batch of a book, however many books there are.
  const auto next = [&](bool is_short_one) {
    return std::ranges::find_if(
        jobs_, [&](const auto* job) { return is_short(*job) == is_short_one && may_search(*job, thread); });
  };
  auto found = next(!had_short_turn_);
  if (found == jobs_.end()) found = next(had_short_turn_);
  if (found == jobs_.end()) return nullptr;
  auto* const job = *found;
  had_short_turn_ = is_short(*job);
  std::rotate(found, found + 1, jobs_.end());
  return job;
}

/// Returns the lines of the next batch, which no longer wait. Either all of them have phrases, or none. After an
/// exception all lines still wait.
std::vector<JobLine> TranslationRunner::take(TranslationJob& leader) {
  auto& lines = leader.waiting.lines;
  auto& batches = leader.waiting.batches;
  std::vector<JobLine> batch;
  if (!batches.empty()) {
    for (const auto line : batches.front()) batch.push_back({&leader, line});
    batches.pop_front();
  } else {
    const bool has_phrases = leader.has_phrases(lines.front());
    const auto size = size_of_batch(leader.config(), lines_that_go_with(leader), workers_ - running_);
    batch.reserve(size);
    while (batch.size() < size && !lines.empty() && leader.has_phrases(lines.front()) == has_phrases) {
      batch.push_back({&leader, lines.front()});
      lines.pop_front();
    }
    if (batch.size() < size) add_neighbors(leader, size - batch.size(), batch);
  }
  return batch;
}

std::size_t TranslationRunner::lines_that_go_with(const TranslationJob& leader) const {
  std::size_t count = 0;
  for (const auto* const job : jobs_)
    if (may_join(*job, leader)) count += job->waiting.lines.size();
  return count;
}

/// Adds lines of other jobs, those nearest to the first one in length.
void TranslationRunner::add_neighbors(const TranslationJob& leader, std::size_t count, std::vector<JobLine>& batch) {
  const auto first = batch.front();
  const auto wanted = length(first);
  std::vector<JobLine> others;
  for (auto* const job : jobs_) {
    if (job == &leader || !may_join(*job, leader)) continue;
    for (const auto line : job->waiting.lines)
      if (job->has_phrases(line) == leader.has_phrases(first.line)) others.push_back({job, line});
  }
  std::ranges::stable_sort(others, std::less{}, [&](const JobLine& line) {
    return std::max(length(line), wanted) - std::min(length(line), wanted);
  });
  others.resize(std::min(count, others.size()));
  for (const auto& [job, line] : others) std::erase(job->waiting.lines, line);
  batch.insert(batch.end(), others.begin(), others.end());
}

void TranslationRunner::compute(const std::vector<JobLine>& batch, bool on_all_threads, Lock& lock) {
  const auto threads = on_all_threads ? workers_ : 1;
  for (const auto& line : batch) ++line.job->waiting.running;
  running_ += threads;
  lock.unlock();
  std::exception_ptr exception;
  bool is_memory = false;
  const auto begin = std::chrono::steady_clock::now();
  auto* const outer = std::exchange(computing, this);
  const auto outer_places = std::exchange(places, threads);
  try {
    const ThreadCount count(on_all_threads ? start_threads_of_caller(static_cast<int>(workers_)) : 1);
    translate_batch(batch);
  } catch (...) {
    is_memory = is_out_of_memory();
    exception = std::current_exception();
  }
  computing = outer;
  places = outer_places;
  if (observer_) {
    const auto oldest = std::ranges::min(batch, {}, [](const auto& line) { return line.job->waiting.since; });
    observer_({.lines = batch.size(),
               .time = std::chrono::steady_clock::now() - begin,
               .longest_wait = begin - oldest.job->waiting.since});
  }
  lock.lock();
  running_ -= threads;
  for (const auto& line : batch) --line.job->waiting.running;
  try {
    if (exception) repeat(batch, std::move(exception), is_memory);
  } catch (const std::bad_alloc&) {
    for (const auto& line : batch) give_up(*line.job);
  }
  for (const auto& line : batch) line.job->waiting.caller->changed.notify_one();
  wake_computing();
}

/// Ends a job by the exception that is handled. Lines of it that are searched are finished.
void TranslationRunner::give_up(TranslationJob& job) {
  job.fail(std::current_exception());
  job.waiting.lines.clear();
  job.waiting.batches.clear();
  job.waiting.caller->changed.notify_one();
}

/// After an exception: searches the lines of different jobs again without each other, so that each job has its own
/// exceptions only; searches in halves what does not fit into memory; or ends the job.
void TranslationRunner::repeat(const std::vector<JobLine>& batch, std::exception_ptr exception, bool is_memory) {
  auto& job = *batch.front().job;
  std::vector<JobLine> left;
  std::ranges::copy_if(batch, std::back_inserter(left),
                       [](const auto& line) { return !line.job->is_done(line.line) && line.job->wanted(); });
  if (jobs_of(batch).size() > 1) {
    std::map<TranslationJob*, std::vector<std::size_t>> lines_of;
    for (const auto& [of_job, line] : left) lines_of[of_job].push_back(line);
    for (auto& [of_job, lines] : lines_of) of_job->waiting.batches.push_back(std::move(lines));
    return;
  }
  if (!is_memory || !job.hooks().halve_when_out_of_memory) return job.fail(std::move(exception));
  if (left.empty()) return;
  if (batch.size() == 1 && !job.may_try_again(batch.front().line)) return job.lose(batch.front().line);
  std::vector<std::size_t> lines;
  for (const auto& line : left) lines.push_back(line.line);
  const auto half = lines.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, lines.size() / 2));
  if (half != lines.end()) job.waiting.batches.emplace_front(half, lines.end());
  job.waiting.batches.emplace_front(lines.begin(), half);
}

}  // namespace gloss
