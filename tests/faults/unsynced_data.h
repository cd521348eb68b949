#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace gloss::faults {

/// Data that a power cut would lose: bytes written and not flushed, and names whose folder was not flushed since. No
/// other order of writes is assumed.
class UnsyncedData {
 public:
  /// The only instance of the process; it is never destroyed.
  static UnsyncedData& get();

  void before_write(int descriptor);
  void synced(int descriptor);

  void made(const std::string& path);
  /// Keeps a link in `store` to the file at `path`, which is about to be replaced or removed.
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
