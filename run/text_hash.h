#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "common/config/json.h"
#include "common/files/same_file.h"
#include "data/scan_texts.h"

namespace gloss {

/// The SHA-256 of a text file, and the file's stamp before it was read.
struct TextHash {
  std::string sha256;
  FileStamp stamp;
  bool lasting = false;  ///< the stamp was settled: the hash is valid while the file has this stamp

  /// Returns whether the hash is lasting and the file still has the stamp. This relies on the file system: device,
  /// inode, size and both times to the nanosecond. Throws IoError.
  bool is_current(const std::filesystem::path& path) const;
};

TextHash hash_of(const ScannedText& text);

Json to_json(const TextHash& hash);
/// Parses a hash; absent if `json` is not one.
std::optional<TextHash> read_text_hash(const Json& json);

}  // namespace gloss
