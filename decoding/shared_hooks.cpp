#include "decoding/shared_hooks.h"

namespace gloss {

void SharedHooks::before_batch(std::int64_t sentences) {
  calls_([&] {
    if (hooks_.before_batch) hooks_.before_batch(sentences);
  });
}

SearchHooks SharedHooks::of_batch(std::span<const std::size_t> batch) {
  SearchHooks result;
  result.before_step = [this] {
    calls_([this] {
      if (hooks_.before_step) hooks_.before_step();
    });
  };
  result.on_token = forwarded(hooks_.on_token, batch);
  result.on_left_out = forwarded(hooks_.on_left_out, batch);
  result.on_beam = forwarded(hooks_.on_beam, batch);
  result.on_found = forwarded(hooks_.on_found, batch);
  return result;
}

/// Returns a hook that takes rows of the batch and calls `hook` with their sentences; empty if `hook` is.
template <typename... Arguments>
std::function<void(std::int64_t, Arguments...)> SharedHooks::forwarded(
    const std::function<void(std::int64_t, Arguments...)>& hook, std::span<const std::size_t> batch) {
  if (!hook) return {};
  return [this, &hook, batch](std::int64_t row, Arguments... arguments) {
    calls_([&] { hook(static_cast<std::int64_t>(batch[static_cast<std::size_t>(row)]), arguments...); });
  };
}

}  // namespace gloss
