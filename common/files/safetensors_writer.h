#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "common/files/atomic_file.h"
#include "common/files/safetensors_header.h"
#include "common/files/sha256.h"

namespace gloss {

/// Writes the file of write_safetensors part by part, so that the tensors need not be in memory together. Bytes may
/// come in any order; in file order they need not be read again for their checksum.
///
///     SafetensorsWriter writer(path, {{"w", {Dtype::kF32, {2, 4}, {}}}}, metadata);
///     for (row : {0, 1}) writer.write("w", row * 16, bytes_of(row));
///     writer.commit();
class SafetensorsWriter {
 public:
  /// Uses the types and shapes of `tensors`, not their bytes. Throws IoError, or ModelError if
  /// SafetensorsFile::open would refuse the header.
  SafetensorsWriter(const std::filesystem::path& path, const std::map<std::string, TensorView>& tensors,
                    Metadata metadata);

  const std::vector<std::string>& file_order() const { return order_; }
  /// Writes the part of a tensor that begins at its byte `offset`. Throws IoError; ModelError if the tensor ends
  /// before.
  void write(const std::string& tensor, std::uint64_t offset, std::span<const std::byte> bytes);
  /// Completes the file. Throws IoError; ModelError unless as many bytes were written as the tensors have.
  void commit();

 private:
  std::filesystem::path path_;
  std::string name_;
  std::vector<std::string> order_;
  SafetensorsHeader header_;
  AtomicFile file_;
  std::uint64_t start_ = 0, size_ = 0, written_ = 0;  ///< bytes: before the tensors, of all tensors, of these written
  Sha256 sum_;                                        ///< of the first hashed_ bytes of the tensors
  std::uint64_t hashed_ = 0;
};

}  // namespace gloss
