#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace gloss {

/// Limits the requests of each client to a number in a minute, all of which may come at once. Thread-safe.
class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;

  /// Counts a request at a time that does not go back. Returns the seconds after which one is allowed again, if it is
  /// one too many. `per_minute` 0: no limit.
  std::optional<std::int64_t> take(const std::string& client, std::int64_t per_minute, Clock::time_point now);

 private:
  struct Bucket {
    double left;
    Clock::time_point time;
  };
  static constexpr std::size_t kMaxClients = 100'000;

  std::mutex mutex_;
  std::unordered_map<std::string, Bucket> buckets_;
};

}  // namespace gloss
