#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace gloss {

/// Counts the characters that were translated for each key since the server started. Thread-safe.
class CharacterUse {
 public:
  /// Counts characters. Returns false, and counts none, if the key would have more than `limit`; 0: no limit.
  bool take(const std::string& key, std::int64_t characters, std::int64_t limit) {
    const std::lock_guard lock(mutex_);
    auto& used = used_[key];
    if (limit > 0 && characters > limit - used) return false;
    used += characters;
    return true;
  }
  /// Takes back what a request had counted that was not answered.
  void give_back(const std::string& key, std::int64_t characters) {
    const std::lock_guard lock(mutex_);
    used_[key] -= characters;
  }
  std::int64_t of(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = used_.find(key);
    return found == used_.end() ? 0 : found->second;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::int64_t> used_;
};

}  // namespace gloss
