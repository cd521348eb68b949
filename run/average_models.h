#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace gloss {

/// Writes a model file whose weights are the mean of those of `files`. These are model files, or checkpoints, whose run
/// folder has their configuration and tokenizers. One checkpoint makes a model of its own weights. A file that is named
/// twice, also by a link, counts once, with a warning. Throws UsageError if the output is one of the files. Throws
/// ModelError if a file is damaged, is of another model or tokenizer than the first, or is a checkpoint that lies in
/// another run's folder or in none; IoError. Returns the number of training steps of each file that was averaged.
std::vector<std::int64_t> average_models(const std::vector<std::filesystem::path>& files,
                                         const std::filesystem::path& output);

}  // namespace gloss
