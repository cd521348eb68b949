#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/config/json.h"
#include "common/files/user_cache.h"

namespace gloss {

/// Element types of the safetensors layout that gloss reads and writes.
enum class Dtype { kF32, kBF16, kF16, kI64, kI32, kI8, kU8 };
std::string_view dtype_name(Dtype dtype);  ///< name in the file format: "F32"
std::size_t dtype_size(Dtype dtype);       ///< bytes per element

/// One tensor of a file: row-major bytes, little-endian.
struct TensorView {
  Dtype dtype;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;  ///< not owned; empty in a file opened in place
};

using Metadata = std::map<std::string, std::string>;

struct SafetensorsHeader;  // common/files/safetensors_header.h
enum class SafetensorsLayout;

/// A file in the safetensors format (docs/file_formats.md), read into memory and fully checked: the header and its
/// checksum (common/files/safetensors_header.h) and, if the metadata has "sha256", the checksum of the tensor bytes.
/// Each tensor is aligned to its element size relative to the first one; `open` aligns the first one to 64 bytes.
class SafetensorsFile {
 public:
  /// Reads a regular file. Throws ModelError with the path and the fault, IoError if it cannot be read.
  static SafetensorsFile open(const std::filesystem::path& path);
  /// Checks the whole file as `open` does, but keeps only its header in memory. The tensors have no bytes; `read`
  /// copies them from the file, which stays open and may be renamed, removed or replaced by another one. If `cache` has
  /// a record that the tensors of this file were checked, and the file was not changed since, they are not read again.
  static SafetensorsFile open_in_place(const std::filesystem::path& path, const UserCache& cache = {});
  /// Opens a file of another program as `open_in_place` does; its tensors need not be aligned.
  static SafetensorsFile open_foreign(const std::filesystem::path& path);
  /// Reads and checks the header only, without tensors and their checksum. Throws as `open`.
  static SafetensorsFile open_header(const std::filesystem::path& path);
  /// Parses bytes in memory, which must outlive the result; `name` replaces the path in messages.
  static SafetensorsFile parse(std::span<const std::byte> bytes, std::string name);

  const Metadata& metadata() const { return metadata_; }
  const std::map<std::string, TensorView>& tensors() const { return tensors_; }
  const std::string& name() const { return name_; }
  /// Returns the SHA-256 of the header, which states that of the tensors; empty unless the file was opened in place.
  const std::string& header_sum() const { return header_sum_; }

  /// Copies the tensor `name`, which must exist, to `bytes`, which must have its size. Threads can share the file.
  /// Throws ModelError if another program changed the bytes after they were checked; IoError.
  void read(const std::string& name, std::span<std::byte> bytes) const;

 private:
  struct Contents;  ///< of a file opened in place

  SafetensorsFile() = default;
  static SafetensorsFile open_in_place(const std::filesystem::path& path, SafetensorsLayout layout,
                                       const UserCache& cache);
  static SafetensorsFile view(std::span<const std::byte> data, SafetensorsHeader header, std::string name);

  std::shared_ptr<const std::byte> data_;     ///< owns the bytes read by `open`
  std::shared_ptr<const Contents> contents_;  ///< set by `open_in_place`
  std::string name_, header_sum_;
  Metadata metadata_;
  std::map<std::string, TensorView> tensors_;
};

/// Writes a file atomically (common/files/atomic_file.h). Tensors are ordered by element size, largest first (F32
/// before smaller types), then by name. Header keys are sorted and padded with spaces to 8 bytes. "sha256" of the
/// tensor bytes and "header_sha256" are added to the metadata. Throws IoError, or ModelError if `open` would refuse the
/// result.
void write_safetensors(const std::filesystem::path& path, const std::map<std::string, TensorView>& tensors,
                       Metadata metadata);

/// Returns the metadata value of `key`. Throws ModelError with the key if it is missing.
const std::string& metadata_value(const SafetensorsFile& file, const std::string& key);

/// Returns the JSON object in the metadata value of `key`. Throws ModelError if it is not strict JSON or not an object.
Json metadata_json(const SafetensorsFile& file, const std::string& key);

/// Returns the metadata value of "format", printable, or "none".
std::string format_of(const SafetensorsFile& file);

/// Returns whether gloss wrote the file, by its format.
bool is_of_gloss(const SafetensorsFile& file);

/// Throws ModelError for a file of another program. `wanted` are the formats that the caller reads.
[[noreturn]] void refuse_foreign(const SafetensorsFile& file, std::string_view wanted);

/// Throws ModelError unless the metadata has `format`, `version` and the checksum of the tensors; without it, the
/// tensors have not been checked. The message mentions a newer version.
void expect_format(const SafetensorsFile& file, std::string_view format, int version);

}  // namespace gloss
