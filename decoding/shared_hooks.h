#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "decoding/search_hooks.h"
#include "tensor/serial_calls.h"

namespace gloss {

/// The hooks of a search whose batches may run on several threads. They are called by one thread at a time. After an
/// exception of a hook every other batch throws before its next step.
class SharedHooks {
 public:
  /// `hooks` must outlive this.
  explicit SharedHooks(const SearchHooks& hooks) : hooks_(hooks) {}

  void before_batch(std::int64_t sentences);

  /// Returns hooks for a batch whose row b is the sentence `batch[b]`. This and `batch` must outlive them.
  SearchHooks of_batch(std::span<const std::size_t> batch);

  /// Rethrows the first exception of a hook; returns if there was none.
  void rethrow() const { calls_.rethrow(); }

 private:
  template <typename... Arguments>
  std::function<void(std::int64_t, Arguments...)> forwarded(const std::function<void(std::int64_t, Arguments...)>& hook,
                                                            std::span<const std::size_t> batch);

  const SearchHooks& hooks_;
  SerialCalls calls_;
};

}  // namespace gloss
