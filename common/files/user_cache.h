#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "common/files/atomic_file.h"
#include "common/system/descriptor.h"

namespace gloss {

/// A folder of files that save computing something again (docs/file_formats.md). Its files are trusted: the folder must
/// belong to the user, without permissions for others (0700), and symbolic links are not followed. If there is no such
/// folder, or it cannot be written, nothing is found and nothing is stored. Processes can share it, and any file can be
/// removed at any time.
class UserCache {
 public:
  struct Settings {
    std::filesystem::path folder = {};     ///< created when it is needed; empty: none
    std::uint64_t limit = 0;               ///< bytes of all files together
    std::uint64_t min_size = 64ULL << 20;  ///< bytes of a model; smaller ones are loaded in no time
    std::function<std::chrono::system_clock::time_point()> now = std::chrono::system_clock::now;
  };

  /// Holds nothing.
  UserCache() = default;
  explicit UserCache(Settings settings) : settings_(std::move(settings)) {}
  /// Returns the cache in $XDG_CACHE_HOME/gloss or ~/.cache/gloss. GLOSS_CACHE_MIB is its limit in MiB, by default
  /// 8192; 0 turns it off. Throws UsageError for another value.
  static UserCache of_user();

  const Settings& settings() const { return settings_; }
  /// Returns whether a model of `size` bytes is large enough.
  bool is_for(std::uint64_t size) const { return settings_.limit > 0 && size >= settings_.min_size; }

  /// Opens a file and notes that it is in use. Returns nothing if it is not there.
  std::optional<RegularFile> find(const std::string& name) const;
  /// Stores a file of about `size` bytes, which `write` writes, under a name that ends in ".cache". Removes the files
  /// that were not used for the longest time until all fit the limit. Does nothing if that fails, or if half of the
  /// free disk space is less. Returns whether the file is stored.
  bool store(const std::string& name, std::uint64_t size, const std::function<void(AtomicFile&)>& write) const;

 private:
  Settings settings_;
};

}  // namespace gloss
