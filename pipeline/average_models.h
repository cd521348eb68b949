#pragma once

#include <filesystem>
#include <vector>

namespace gloss {

/// Writes a model file whose weights are the mean of those of `files`: model files, or checkpoints, whose run folder
/// then tells configuration and tokenizers. One checkpoint makes the model that training would have ended with there.
/// Throws UsageError where a file is missing, ModelError where one is damaged or is of
/// another model or tokenizer than the first, IoError.
void average_models(const std::vector<std::filesystem::path>& files, const std::filesystem::path& output);

}  // namespace gloss
