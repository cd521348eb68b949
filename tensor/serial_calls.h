#pragma once

#include <exception>
#include <mutex>

namespace gloss {

/// Calls hooks of several threads one at a time. After an exception of a hook no hook is called any longer: every later
/// call throws, so that the other threads end soon.
///
///     SerialCalls calls;
///     try {
///       workers.run(tasks, [&](std::int64_t task) { calls(hook); compute(task); });
///     } catch (...) {
///       calls.rethrow();  // the hook's exception, not that of a thread that ended because of it
///       throw;
///     }
class SerialCalls {
 public:
  /// Calls hook() when no other thread is in a hook. Throws its exception.
  template <typename Hook>
  void operator()(const Hook& hook) {
    const std::lock_guard lock(mutex_);
    if (exception_) throw Abandoned{};
    try {
      hook();
    } catch (...) {
      exception_ = std::current_exception();
      throw;
    }
  }

  /// Rethrows the first exception of a hook; returns if there was none. Must not be called while other threads call
  /// hooks.
  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  struct Abandoned {};  ///< thrown after the exception of another thread's hook

  std::mutex mutex_;
  std::exception_ptr exception_;
};

}  // namespace gloss
