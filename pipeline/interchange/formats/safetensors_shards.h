#pragma once

#include <filesystem>
#include <memory>

#include "pipeline/interchange/formats/foreign_tensors.h"

namespace gloss {

/// Returns whether a folder has model.safetensors or model.safetensors.index.json.
bool has_safetensors(const std::filesystem::path& folder);

/// Opens the weights of a Hugging Face folder: model.safetensors, or the files that model.safetensors.index.json names
/// (its weight_map), which lie in the same folder. `path` may also be one .safetensors file. Metadata of gloss is not
/// needed. Each tensor of the index must be in its file, and each tensor of a file in the index. Throws ModelError with
/// the file and the fault; IoError.
std::unique_ptr<ForeignTensors> open_safetensors(const std::filesystem::path& path);

}  // namespace gloss
