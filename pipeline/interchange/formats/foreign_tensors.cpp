#include "pipeline/interchange/formats/foreign_tensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "common/error.h"
#include "common/text/printable.h"

namespace gloss {
namespace {

static_assert(std::endian::native == std::endian::little, "tensor bytes are used without conversion");

struct TypeEntry {
  ForeignType type;
  std::string_view name;
  std::size_t size;
};
constexpr std::array<TypeEntry, 10> kTypes = {{{ForeignType::kF32, "float32", 4},
                                               {ForeignType::kF16, "float16", 2},
                                               {ForeignType::kBF16, "bfloat16", 2},
                                               {ForeignType::kF64, "float64", 8},
                                               {ForeignType::kI8, "int8", 1},
                                               {ForeignType::kI16, "int16", 2},
                                               {ForeignType::kI32, "int32", 4},
                                               {ForeignType::kI64, "int64", 8},
                                               {ForeignType::kU8, "uint8", 1},
                                               {ForeignType::kU32, "uint32", 4}}};

const TypeEntry& entry(ForeignType type) { return *std::ranges::find(kTypes, type, &TypeEntry::type); }

// IEEE 754 binary16, with subnormal numbers, infinity and NaN.
float from_half(std::uint16_t bits) {
  constexpr std::uint32_t kExponent = 0x1f, kFraction = 0x3ff;
  constexpr int kFractionShift = 13, kBiasDifference = 127 - 15;
  const std::uint32_t sign = static_cast<std::uint32_t>(bits >> 15) << 31;
  const std::uint32_t exponent = bits >> 10 & kExponent, fraction = bits & kFraction;
  if (exponent == 0) {
    constexpr float kSmallest = 1.0F / (1 << 24);
    const float value = static_cast<float>(fraction) * kSmallest;
    return sign == 0 ? value : -value;
  }
  const std::uint32_t wide = exponent == kExponent ? 0xff : exponent + kBiasDifference;
  return std::bit_cast<float>(sign | wide << 23 | fraction << kFractionShift);
}

float from_bfloat(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

template <typename Element, typename Convert>
void convert_elements(const ForeignTensor& tensor, std::vector<float>& values, Convert convert) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    Element element;
    std::memcpy(&element, tensor.bytes.data() + i * sizeof(Element), sizeof(Element));
    values[i] = convert(element);
  }
}

template <typename Element>
void cast_elements(const ForeignTensor& tensor, std::vector<float>& values) {
  convert_elements<Element>(tensor, values, [](Element element) { return static_cast<float>(element); });
}

std::vector<float> stored_values(const ForeignTensor& tensor) {
  std::vector<float> values(tensor.bytes.size() / foreign_type_size(tensor.type));
  switch (tensor.type) {
    case ForeignType::kF32:
      cast_elements<float>(tensor, values);
      break;
    case ForeignType::kF16:
      convert_elements<std::uint16_t>(tensor, values, from_half);
      break;
    case ForeignType::kBF16:
      convert_elements<std::uint16_t>(tensor, values, from_bfloat);
      break;
    case ForeignType::kF64:
      cast_elements<double>(tensor, values);
      break;
    case ForeignType::kI8:
      cast_elements<std::int8_t>(tensor, values);
      break;
    case ForeignType::kI16:
      cast_elements<std::int16_t>(tensor, values);
      break;
    case ForeignType::kI32:
      cast_elements<std::int32_t>(tensor, values);
      break;
    case ForeignType::kI64:
      cast_elements<std::int64_t>(tensor, values);
      break;
    case ForeignType::kU8:
      cast_elements<std::uint8_t>(tensor, values);
      break;
    case ForeignType::kU32:
      cast_elements<std::uint32_t>(tensor, values);
      break;
  }
  return values;
}

}  // namespace

std::string_view foreign_type_name(ForeignType type) { return entry(type).name; }

std::size_t foreign_type_size(ForeignType type) { return entry(type).size; }

std::uint64_t element_count(const ForeignTensorInfo& info) {
  std::uint64_t count = 1;
  for (const auto size : info.shape) count *= static_cast<std::uint64_t>(size);
  return count;
}

std::uint64_t checked_byte_count(const ForeignTensorInfo& info, const std::string& where) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 62;
  const auto fail = [&] {
    std::string shape;
    for (const auto size : info.shape) shape += (shape.empty() ? "" : ", ") + std::to_string(size);
    throw ModelError(where + ": shape: wanted sizes from 0 whose bytes are fewer than 2^62, got [" + shape + ']');
  };
  std::uint64_t bytes = foreign_type_size(info.type);
  for (const auto size : info.shape) {
    if (size < 0) fail();
    // A zero counts as one, so that no order of the factors overflows later.
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(std::max<std::int64_t>(size, 1)), &bytes) ||
        bytes > kMaxBytes)
      fail();
  }
  return std::ranges::count(info.shape, 0) == 0 ? bytes : 0;
}

std::string shown_shape(const ForeignTensorInfo& info) {
  std::string text(foreign_type_name(info.type));
  text += " [";
  for (std::size_t i = 0; i < info.shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(info.shape[i]);
  return text + ']';
}

std::vector<float> float_values(const ForeignTensor& tensor) {
  auto values = stored_values(tensor);
  if (tensor.quantized)
    for (auto& value : values) value /= tensor.multiplier;
  if (!tensor.transposed) return values;
  const auto rows = static_cast<std::size_t>(tensor.shape.at(0)),
             columns = static_cast<std::size_t>(tensor.shape.at(1));
  std::vector<float> transposed(values.size());
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column)
      transposed[row * columns + column] = values[column * rows + row];
  return transposed;
}

std::vector<std::string> ForeignTensors::names() const {
  std::vector<std::string> names;
  for (const auto& [tensor, info] : infos_) names.push_back(tensor);
  return names;
}

ForeignTensorInfo ForeignTensors::info(std::string_view tensor) const {
  const auto found = infos_.find(tensor);
  if (found == infos_.end())
    throw ModelError(name_ + ": wanted a tensor " + printable(tensor) +
                     ", got none of this name; the file is not whole");
  return found->second;
}

ForeignTensor ForeignTensors::tensor(std::string_view tensor) const {
  ForeignTensor result{info(tensor), {}, 1};
  read(std::string(tensor), result);
  return result;
}

void ForeignTensors::add(const std::string& tensor, ForeignTensorInfo info) {
  const auto plain = [](char c) { return c > ' ' && c <= '~'; };
  if (tensor.empty() || tensor.size() > kMaxForeignNameBytes || !std::ranges::all_of(tensor, plain))
    throw ModelError(name_ + ": name of a tensor: wanted up to " + std::to_string(kMaxForeignNameBytes) +
                     " printable ASCII characters without spaces, got \"" + printable(tensor, 80) + '"');
  if (infos_.size() >= kMaxForeignTensors)
    throw ModelError(name_ + ": wanted at most " + std::to_string(kMaxForeignTensors) + " tensors, got more");
  if (!infos_.emplace(tensor, std::move(info)).second)
    throw ModelError(name_ + ": tensor " + tensor + ": wanted each name once, got it twice; the file is damaged");
}

void refuse_optimizer_state(const ForeignTensors& tensors) {
  for (const std::string_view key : {"adam_mt", "adam_vt", "adagrad_gt"})
    if (tensors.has(key))
      throw ModelError(tensors.name() + ": wanted a model, got the state of Marian's optimizer (" + std::string(key) +
                       "); name the file without .optimizer");
}

}  // namespace gloss
