#include "interchange/formats/foreign_tensors.h"

#include <algorithm>

#include <ATen/ops/full.h>

#include "common/error.h"
#include "common/text/printable.h"
#include "tensor/shape.h"

namespace gloss {

std::string shown_shape(const ForeignTensorInfo& info) {
  return std::string(foreign_type_name(info.type)) + ' ' + shape_text(info.shape);
}

std::uint64_t checked_byte_count(const ForeignTensorInfo& info, const std::string& where) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 62;
  std::uint64_t bytes = c10::elementSize(info.type);
  for (const auto size : info.shape) {
    // A zero counts as one, so that no order of the factors overflows later.
    if (size < 0 ||
        __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(std::max<std::int64_t>(size, 1)), &bytes) ||
        bytes > kMaxBytes)
      throw ModelError(where + ": shape: wanted sizes from 0 whose bytes are fewer than 2^62, got " +
                       shape_text(info.shape));
  }
  return std::ranges::count(info.shape, 0) == 0 ? bytes : 0;
}

std::vector<std::string> ForeignTensors::names() const {
  std::vector<std::string> names;
  for (const auto& [tensor, info] : infos_) names.push_back(tensor);
  return names;
}

const ForeignTensorInfo& ForeignTensors::info(std::string_view tensor) const {
  const auto found = infos_.find(tensor);
  if (found == infos_.end())
    throw ModelError(name_ + ": wanted a tensor " + printable(tensor) +
                     ", got none of this name; the file is not whole");
  return found->second;
}

at::Tensor ForeignTensors::divisors(std::string_view tensor) const {
  const auto& multiplier = info(tensor).multiplier;
  return multiplier ? at::full({1}, *multiplier, at::kFloat) : at::Tensor();
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
