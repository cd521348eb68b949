#include "serve/access/rate_limit.h"

#include <algorithm>
#include <cmath>

namespace gloss {

std::optional<std::int64_t> RateLimit::take(const std::string& client, std::int64_t per_minute, Clock::time_point now) {
  if (per_minute <= 0) return std::nullopt;
  const auto limit = static_cast<double>(per_minute);
  const std::lock_guard lock(mutex_);
  if (buckets_.size() >= kMaxClients)  // those that had a minute's rest are full again
    std::erase_if(buckets_, [&](const auto& entry) { return now - entry.second.time >= std::chrono::minutes(1); });
  if (buckets_.size() >= kMaxClients) buckets_.clear();
  auto& bucket = buckets_.try_emplace(client, Bucket{limit, now}).first->second;
  const auto seconds = std::chrono::duration<double>(now - bucket.time).count();
  bucket = {std::min(limit, bucket.left + seconds * limit / 60), now};
  if (bucket.left >= 1) {
    bucket.left -= 1;
    return std::nullopt;
  }
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil((1 - bucket.left) * 60 / limit)));
}

}  // namespace gloss
