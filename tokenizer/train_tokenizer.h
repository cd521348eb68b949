#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "tokenizer/tokenizer_config.h"

namespace gloss {

/// SentencePiece holds what it learns from in memory, and more lines hardly make another vocabulary.
inline constexpr std::int64_t kMostTrainingLines = 2'000'000;

/// Trains a SentencePiece model on the lines of the files, with gloss's special ids, and returns its bytes. Where there
/// are more than `most_lines`, so many of them are taken, evenly spaced over all files, and the log says so. Lines that
/// are not valid UTF-8 (or have a NUL) or are longer than SentencePiece's limit (4192 bytes) are left out, with a
/// warning for each file and reason. Equal files and settings give equal bytes, which hold no path. Throws UsageError
/// where the text has fewer pieces than asked for (naming the maximum) or more characters (naming the minimum),
/// DataError where there is no text, and as LineReader.
std::string train_tokenizer(std::span<const std::filesystem::path> files, const TokenizerConfig& config,
                            std::int64_t most_lines = kMostTrainingLines);

}  // namespace gloss
