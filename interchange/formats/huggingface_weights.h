#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "interchange/formats/foreign_tensors.h"

namespace gloss {

/// Returns the file of a Hugging Face folder that has the weights, or the index of their files. The order of preference
/// is model.safetensors, model.safetensors.index.json, pytorch_model.bin, pytorch_model.bin.index.json.
std::optional<std::filesystem::path> find_huggingface_weights(const std::filesystem::path& folder);

/// Returns the files that open_huggingface_weights reads: the file itself, and those that an index names. Throws as it.
std::vector<std::filesystem::path> huggingface_weight_files(const std::filesystem::path& path);

/// Opens a .safetensors file, a .bin file of torch.save, or the files that an index (.index.json) names in its
/// weight_map, which lie in the same folder. Metadata of gloss is not needed. Each tensor of the index must be in its
/// file, and each tensor of a file in the index. Throws ModelError with the file and the fault; IoError.
std::unique_ptr<ForeignTensors> open_huggingface_weights(const std::filesystem::path& path);

}  // namespace gloss
