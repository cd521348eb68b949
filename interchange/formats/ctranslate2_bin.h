#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <c10/core/Scalar.h>

#include "common/system/descriptor.h"
#include "interchange/formats/binary_reader.h"
#include "interchange/formats/foreign_tensors.h"

namespace gloss {

/// The variables of a model.bin of CTranslate2, in versions 2 to 6 of its format. Variables with axes are tensors; the
/// others are numbers. An alias is a tensor with the values of another. An int8 matrix has a divisor for each row, an
/// int16 matrix one multiplier; the variables that hold them, "..._scale", are no tensors.
class Ctranslate2Bin final : public ForeignTensors {
 public:
  /// `name` is the name of the file in messages. Throws ModelError with it and the fault: for damaged files, other
  /// versions, sizes beyond the limits of ForeignTensors, and quantized variables without a scale; IoError.
  Ctranslate2Bin(RegularFile file, const std::string& name);

  std::uint32_t version() const { return version_; }
  std::uint32_t revision() const { return revision_; }        ///< of the specification
  const std::string& specification() const { return spec_; }  ///< "TransformerSpec"; printable

  /// Numbers by name, such as "encoder/num_heads": integers, which are also flags, or floating-point numbers.
  const std::map<std::string, at::Scalar, std::less<>>& numbers() const { return numbers_; }
  std::optional<at::Scalar> number(std::string_view name) const;
  /// Returns the characters of an int8 vector: versions up to 5 store texts so. Absent if there is none.
  std::optional<std::string> text(std::string_view name) const;
  /// Returns the tensor whose values a tensor has: another one for an alias.
  const std::string& original(const std::string& tensor) const;
  /// Throws ModelError if a divisor is not a positive number.
  at::Tensor divisors(std::string_view tensor) const override;

 private:
  struct Variable {
    ForeignTensorInfo info;
    std::uint64_t offset = 0;
  };

  [[noreturn]] void fail(const std::string& what) const;
  std::string take_name(const char* part);
  std::uint32_t take_count(const char* part);
  void read_structure();
  void read_variable();
  void read_alias();
  void add_variables();
  at::Tensor values_of(const Variable& variable) const;
  at::Tensor read(const std::string& tensor, const ForeignTensorInfo& info) const override;

  BinaryReader reader_;
  std::uint32_t version_ = 0, revision_ = 0;
  std::string spec_;
  std::map<std::string, Variable, std::less<>> variables_;
  std::map<std::string, std::string, std::less<>> aliases_;  ///< the original of each
  std::map<std::string, at::Scalar, std::less<>> numbers_;
};

}  // namespace gloss
