#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace gloss::faults {

/// What a power cut would take: bytes written and not flushed, and names whose folder was not flushed since. An order
/// that a file system gives beyond that is not counted on.
class UnsyncedData {
 public:
  /// That of the process, never destroyed.
  static UnsyncedData& get();

  void before_write(int descriptor);
  void synced(int descriptor);

  void made(const std::string& path);
  /// What stands at `path` is about to be replaced or removed: a link to it is kept in `store`.
  void before_loss(const std::string& path, const std::string& store);
  void renamed(const std::string& from, const std::string& to);

  /// Takes it all back.
  void drop();

 private:
  struct File {
    dev_t device;
    ino_t inode;
    int descriptor;  ///< our own
    off_t size;      ///< that is on the disk
  };
  struct Name {
    std::string path;
    std::string before;  ///< where that is kept which stood there; empty where nothing did
    std::string from;    ///< the name before a renaming, or empty
  };

  std::vector<File> files_;
  std::vector<Name> names_;  ///< in the order of the calls
};

}  // namespace gloss::faults
