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

namespace gloss {

/// Element types of the safetensors layout that gloss reads and writes.
enum class Dtype { kF32, kBF16, kF16, kI64, kI32, kI8, kU8 };
std::string_view dtype_name(Dtype dtype);  ///< as the layout spells it: "F32"
std::size_t dtype_size(Dtype dtype);       ///< bytes an element

/// One tensor of a file: row-major bytes, little-endian.
struct TensorView {
  Dtype dtype;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;  ///< borrowed
};

using Metadata = std::map<std::string, std::string>;

struct SafetensorsHeader;  // common/files/safetensors_header.h

/// A file in the safetensors layout (docs/file_formats.md), read into memory and checked whole before anything in it is
/// believed: the header and its sum by common/files/safetensors_header.h and, where the metadata has "sha256", the sum
/// of the tensor bytes. Each tensor begins at a multiple of its element's size from the first, and the first of `open`
/// at a multiple of 64.
class SafetensorsFile {
 public:
  /// Throws ModelError naming the path and the fault; IoError where it cannot be read. Regular files only.
  static SafetensorsFile open(const std::filesystem::path& path);
  /// Reads and checks the header alone; no tensors, and the sum is not compared. Throws as `open`.
  static SafetensorsFile open_header(const std::filesystem::path& path);
  /// The same for bytes in memory, which must outlive the result; `name` stands for the path in messages.
  static SafetensorsFile parse(std::span<const std::byte> bytes, std::string name);

  const Metadata& metadata() const { return metadata_; }
  const std::map<std::string, TensorView>& tensors() const { return tensors_; }
  const std::string& name() const { return name_; }

 private:
  SafetensorsFile() = default;
  static SafetensorsFile view(std::span<const std::byte> data, SafetensorsHeader header, std::string name);

  std::shared_ptr<const std::byte> data_;  ///< keeps the bytes of `open`
  std::string name_;
  Metadata metadata_;
  std::map<std::string, TensorView> tensors_;
};

/// Writes the layout atomically (common/files/atomic_file.h): tensors ordered by element size, the largest first (F32
/// before smaller types), then by name; header keys sorted, and padded with spaces to 8 bytes; "sha256" of the tensor
/// bytes and "header_sha256" added to the metadata. Throws IoError, or ModelError where `open` would refuse the result.
void write_safetensors(const std::filesystem::path& path, const std::map<std::string, TensorView>& tensors,
                       Metadata metadata);

}  // namespace gloss
