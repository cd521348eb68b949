#pragma once

#include <map>
#include <string>

#include <ATen/core/Tensor.h>

#include "common/files/user_cache.h"

namespace gloss {

/// Tensors of packed weights by name.
using PackedTensors = std::map<std::string, at::Tensor>;

/// Returns the tensors that store_packed stored under this key, mapped from the file, or none if they are not there or
/// damaged. They may be read only.
PackedTensors find_packed(const UserCache& cache, const std::string& key);

/// Stores the tensors, unless they are small (docs/file_formats.md). `key` names everything that they depend on.
void store_packed(const UserCache& cache, const std::string& key, const PackedTensors& tensors);

}  // namespace gloss
