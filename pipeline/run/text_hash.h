#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "common/config/json.h"
#include "common/files/file_stamp.h"

namespace gloss {

/// The SHA-256 of a text file, and what the file system said of the file when it was taken.
struct TextHash {
  std::string sha256;
  FileStamp stamp;
  bool lasting = false;  ///< the stamp was settled: while the file has it, the hash is its hash

  /// Reads the whole file, unless `known` is of a lasting stamp that the file has still. What is trusted then is the
  /// file system alone: device, inode, size and both times to the nanosecond. Throws IoError, and Stopped where a
  /// signal asks for an end.
  static TextHash of(const std::filesystem::path& path, const std::optional<TextHash>& known = {});
};

Json to_json(const TextHash& hash);
/// Absent where `json` is none.
std::optional<TextHash> read_text_hash(const Json& json);

}  // namespace gloss
