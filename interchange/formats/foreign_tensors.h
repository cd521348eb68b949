#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gloss {

/// Element types of tensors that other programs store.
enum class ForeignType { kF32, kF16, kBF16, kF64, kI8, kI16, kI32, kI64, kU8, kU32 };
std::string_view foreign_type_name(ForeignType type);  ///< "float32"
std::size_t foreign_type_size(ForeignType type);       ///< bytes per element

/// Type and shape of a tensor of another program.
struct ForeignTensorInfo {
  ForeignType type = ForeignType::kF32;
  std::vector<std::int64_t> shape;  ///< as the other program's network uses it
  bool quantized = false;           ///< kI8 or kI16 of Marian: a value is an element divided by the multiplier
  bool transposed = false;          ///< a matrix whose elements are stored as [shape[1], shape[0]], row-major

  bool operator==(const ForeignTensorInfo&) const = default;
};

/// Returns the number of elements of a tensor that a reader returned.
std::uint64_t element_count(const ForeignTensorInfo& info);
/// Returns the number of bytes. Throws ModelError("where: shape: ...") if a size is negative or the product is 2^62 or
/// more, in whatever order the sizes are multiplied.
std::uint64_t checked_byte_count(const ForeignTensorInfo& info, const std::string& where);
/// Returns "float32 [512, 8000]".
std::string shown_shape(const ForeignTensorInfo& info);

/// A tensor of another program with its elements: little-endian, row-major (of the reversed shape if transposed),
/// without trailing bytes.
struct ForeignTensor : ForeignTensorInfo {
  std::vector<std::byte> bytes;
  float multiplier = 1;  ///< one number per tensor, finite and positive
};

/// Limits of a file of tensors.
inline constexpr std::size_t kMaxForeignTensors = 200'000;
inline constexpr std::size_t kMaxForeignDimensions = 8;
inline constexpr std::size_t kMaxForeignNameBytes = 256;

/// The tensors of one or more files of another program. Opening checks the structure; `tensor` reads the elements, so
/// that only the tensors in use take memory. Threads must not share an object.
///
///     const auto file = open_npz("model.npz");
///     if (file->has("Wemb")) use(file->tensor("Wemb"));
class ForeignTensors {
 public:
  virtual ~ForeignTensors() = default;
  ForeignTensors(const ForeignTensors&) = delete;
  ForeignTensors& operator=(const ForeignTensors&) = delete;

  std::vector<std::string> names() const;  ///< sorted, each once
  bool has(std::string_view tensor) const { return infos_.contains(tensor); }
  /// Throws ModelError if there is no such tensor.
  ForeignTensorInfo info(std::string_view tensor) const;
  /// Reads a tensor. Throws ModelError if there is none of this name, or if its bytes are damaged; IoError.
  ForeignTensor tensor(std::string_view tensor) const;

  const std::string& name() const { return name_; }  ///< file or folder, printable, for messages

 protected:
  explicit ForeignTensors(std::string name) : name_(std::move(name)) {}
  /// Adds a tensor whose shape was checked. Throws ModelError for a repeated name, a name that is not printable ASCII,
  /// and too many tensors.
  void add(const std::string& tensor, ForeignTensorInfo info);
  /// Reads the bytes, and the multiplier of a quantized tensor, of a tensor that was added.
  virtual void read(const std::string& tensor, ForeignTensor& result) const = 0;

 private:
  std::string name_;
  std::map<std::string, ForeignTensorInfo, std::less<>> infos_;
};

/// Throws ModelError, with a hint, if the tensors are the state of Marian's optimizer.
void refuse_optimizer_state(const ForeignTensors& tensors);

}  // namespace gloss
