#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/random.h"
#include "interchange/formats/foreign_tensors.h"

namespace gloss {

inline auto refuses_model(const std::string& message) {
  return testing::ThrowsMessage<ModelError>(testing::HasSubstr(message));
}

/// Returns the bytes of values, little-endian.
template <typename Value>
std::string raw(const std::vector<Value>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value)};
}
template <typename Value>
std::string raw(Value value) {
  return raw(std::vector{value});
}
/// Returns the bytes of a tensor.
std::string to_text(const at::Tensor& tensor);
/// Writes a file anew.
void put_file(const std::filesystem::path& path, const std::string& bytes);

/// An entry of an archive, with false statements, as a hostile one has them.
struct ZipEntry {
  std::string name, bytes;
  bool deflated = false;
  std::optional<std::uint64_t> stated_size = {};    ///< unpacked, in both headers
  std::optional<std::uint64_t> stated_packed = {};  ///< in both headers
  std::optional<std::uint32_t> stated_crc = {};
  std::optional<std::uint16_t> method = {};
  std::uint16_t flags = 0;       ///< 1: encrypted; 8: sizes after the data only
  bool zip64 = false;            ///< sizes of the local header in an extra field, as numpy writes them
  bool shares_previous = false;  ///< no data of its own: the central directory points to the entry before
};
/// Returns an archive, byte by byte from PKWARE's description of the format.
std::string zip_bytes(const std::vector<ZipEntry>& entries);

/// Returns a NumPy file with this dictionary.
std::string npy_bytes(const std::string& dictionary, const std::string& data, int version = 1);
/// Returns the dictionary of a type and a shape: "3,", "2, 3".
std::string npy_dictionary(const std::string& descr, const std::string& shape);

/// Returns a lexical table of Marian's binary format: the target pieces of each source piece. The checksum is right.
std::string lexical_bytes(std::uint64_t frequent, const std::vector<std::vector<std::uint32_t>>& lists);
/// Replaces the checksum of a changed table.
void sign_lexical(std::string& bytes);

/// A tensor of Marian's binary format.
struct BinTensor {
  std::string name;
  std::uint64_t type = 0x404;
  std::vector<std::int32_t> shape;
  std::string data;
};
/// Returns a file in Marian's binary format. Data are padded to 256 bytes.
std::string bin_bytes(const std::vector<BinTensor>& tensors, std::uint64_t version = 1);

/// A variable of a model.bin of CTranslate2. Types are 0 float32, 1 int8, 2 int16, 3 int32, 4 float16, 5 bfloat16.
struct Ct2Variable {
  std::string name;
  std::uint8_t type = 0;
  std::vector<std::uint32_t> shape;
  std::string data;
};
/// Returns a model.bin, byte by byte from the description of the format. Before version 4 a type is a size.
std::string ctranslate2_bytes(const std::vector<Ct2Variable>& variables,
                              const std::vector<std::pair<std::string, std::string>>& aliases = {},
                              std::uint32_t version = 6, const std::string& specification = "TransformerSpec",
                              std::uint32_t revision = 7);

/// Returns the values of a tensor of any type, row-major, divided by its divisors if they are quantized.
std::vector<float> float_values(const ForeignTensors& file, const std::string& name);

/// Returns a copy with one to three changes: bits, bytes, parts cut, repeated or moved, digits and little-endian sizes.
/// Half of them are within the first `head` bytes.
std::string mutated(std::string bytes, const RandomStream& random, std::size_t head);
/// Number of mutations of a test: `usual`, times GLOSS_MUTATIONS of the environment.
std::uint32_t mutation_count(std::uint32_t usual);

}  // namespace gloss
