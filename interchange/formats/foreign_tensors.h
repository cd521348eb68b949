#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

namespace gloss {

/// Type and shape of a tensor of another program.
struct ForeignTensorInfo {
  at::ScalarType type = at::kFloat;
  std::vector<std::int64_t> shape;  ///< as the other program's network uses it
  /// Of int8 and int16 of Marian: a value is an element divided by this finite, positive number.
  std::optional<float> multiplier = {};
  /// Of int8 of CTranslate2: each row of a matrix has a divisor of its own (ForeignTensors::divisors).
  bool has_row_divisors = false;

  bool is_quantized() const { return multiplier || has_row_divisors; }
  bool operator==(const ForeignTensorInfo&) const = default;
};

/// Returns "float32".
inline std::string_view foreign_type_name(at::ScalarType type) { return c10::getDtypeNames(type).first; }
/// Returns "float32 [512, 8000]".
std::string shown_shape(const ForeignTensorInfo& info);
/// Returns the number of bytes. Throws ModelError("where: shape: ...") if a size is negative or the product is 2^62 or
/// more, in whatever order the sizes are multiplied.
std::uint64_t checked_byte_count(const ForeignTensorInfo& info, const std::string& where);
/// Returns the bytes of a contiguous tensor on the CPU.
inline std::span<std::byte> bytes_of(const at::Tensor& tensor) {
  return {static_cast<std::byte*>(tensor.data_ptr()), tensor.nbytes()};
}

/// Returns whether elements can be divided by a number, so that the quotient of the largest one is finite, too.
inline bool is_divisor(float number) { return number > 0 && std::isfinite(number) && std::isfinite(0x1p15F / number); }

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
  const ForeignTensorInfo& info(std::string_view tensor) const;
  /// Reads the elements of a tensor, in its type and shape; the result may be a view of more. Quantized elements are
  /// not divided. Throws ModelError if there is none of this name, or if its bytes are damaged; IoError.
  at::Tensor tensor(std::string_view tensor) const { return read(std::string(tensor), info(tensor)); }
  /// Returns the numbers by which the elements of a quantized tensor are divided, float32: [1], or [rows] with
  /// has_row_divisors. Undefined if it is not quantized.
  virtual at::Tensor divisors(std::string_view tensor) const;

  const std::string& name() const { return name_; }  ///< file or folder, printable, for messages

 protected:
  explicit ForeignTensors(std::string name) : name_(std::move(name)) {}
  /// Adds a tensor whose shape was checked. Throws ModelError for a repeated name, a name that is not printable ASCII,
  /// and too many tensors.
  void add(const std::string& tensor, ForeignTensorInfo info);
  /// Reads the elements of a tensor that was added.
  virtual at::Tensor read(const std::string& tensor, const ForeignTensorInfo& info) const = 0;

 private:
  std::string name_;
  std::map<std::string, ForeignTensorInfo, std::less<>> infos_;
};

/// Opens a state dict that torch.save wrote (PyTorch 1.6 and later): a ZIP archive with a pickle, which is parsed
/// without calling anything, and an entry for each storage. Tensors may be views and share storages. Throws ModelError
/// with the path and the fault, also for the form of earlier versions; IoError; UsageError if gloss was built without
/// libzip.
std::unique_ptr<ForeignTensors> open_torch_file(const std::filesystem::path& path);

/// Throws ModelError, with a hint, if the tensors are the state of Marian's optimizer.
void refuse_optimizer_state(const ForeignTensors& tensors);

}  // namespace gloss
