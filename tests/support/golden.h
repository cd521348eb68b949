#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "common/files/safetensors.h"

namespace gloss {

/// Numbers that another program computed, in a file of the safetensors layout.
class Golden {
 public:
  /// A relative path is one below tests/golden.
  explicit Golden(const std::filesystem::path& path);

  bool has(const std::string& name) const { return file_.tensors().contains(name); }
  /// A float32 tensor. Throws ModelError naming it where it is missing or of another type.
  at::Tensor tensor(const std::string& name, at::Device device) const;
  /// An int64 tensor of one dimension as token ids.
  std::vector<std::int32_t> ids(const std::string& name) const;

 private:
  const TensorView& view(const std::string& name, Dtype dtype) const;

  SafetensorsFile file_;
};

/// The file of tests/golden.
std::filesystem::path golden_path(const std::string& name);

}  // namespace gloss
