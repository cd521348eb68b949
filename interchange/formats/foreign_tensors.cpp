#include "interchange/formats/foreign_tensors.h"

#include <algorithm>
#include <array>

#include "common/error.h"
#include "common/text/printable.h"

namespace gloss {
namespace {

// In the order of the types.
constexpr std::array<std::pair<std::string_view, std::size_t>, 10> kTypes = {{{"float32", 4},
                                                                              {"float16", 2},
                                                                              {"bfloat16", 2},
                                                                              {"float64", 8},
                                                                              {"int8", 1},
                                                                              {"int16", 2},
                                                                              {"int32", 4},
                                                                              {"int64", 8},
                                                                              {"uint8", 1},
                                                                              {"uint32", 4}}};

}  // namespace

std::string_view foreign_type_name(ForeignType type) { return kTypes.at(static_cast<std::size_t>(type)).first; }

std::size_t foreign_type_size(ForeignType type) { return kTypes.at(static_cast<std::size_t>(type)).second; }

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
