#include "tests/support/golden.h"

#include <cstring>

#include <ATen/ops/empty.h>

#include "common/error.h"

namespace gloss {

Golden::Golden(const std::filesystem::path& path)
    : file_(SafetensorsFile::open(path.is_absolute() ? path : golden_path(path.string()))) {}

at::Tensor Golden::tensor(const std::string& name, at::Device device) const {
  const auto& found = view(name, Dtype::kF32);
  auto result = at::empty(found.shape, at::kFloat);
  std::memcpy(result.mutable_data_ptr(), found.bytes.data(), found.bytes.size());
  return result.to(device);
}

std::vector<std::int32_t> Golden::ids(const std::string& name) const {
  const auto bytes = view(name, Dtype::kI64).bytes;
  std::vector<std::int64_t> values(bytes.size() / sizeof(std::int64_t));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return {values.begin(), values.end()};
}

const TensorView& Golden::view(const std::string& name, Dtype dtype) const {
  const auto found = file_.tensors().find(name);
  if (found != file_.tensors().end() && found->second.dtype == dtype) return found->second;
  throw ModelError(file_.name() + ": " + name + ": wanted a tensor of " + std::string(dtype_name(dtype)));
}

std::filesystem::path golden_path(const std::string& name) { return std::filesystem::path(GLOSS_GOLDEN_FOLDER) / name; }

}  // namespace gloss
