#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "tokenizer/tokenizer_config.h"
#include "tokenizer/training_sample.h"

namespace gloss {

/// Default for the maximum number of training lines. SentencePiece holds them in memory, and more lines hardly change
/// the vocabulary.
inline constexpr std::int64_t kMaxTrainingLines = 2'000'000;

/// A text to train a tokenizer on, and its lines as far as they were collected.
struct TrainingText {
  std::filesystem::path file;
  TrainingSample sample;
};

/// Trains a SentencePiece model on the lines of the texts, with gloss's special ids, and returns its bytes. Uses up the
/// samples. If the texts have more than `max_lines` lines together, reads the files again, takes `max_lines` lines,
/// evenly spaced over all files, and logs this. Lines that are not valid UTF-8 (or have a NUL) or are longer than
/// SentencePiece's limit (4192 bytes) are left out, with a warning for each file and reason. Equal texts and settings
/// give equal bytes, which hold no path. If the text has fewer pieces than `config` sets, throws
/// UsageError naming the maximum, or takes the maximum with `config.joint` false. Throws UsageError if it has more
/// characters (naming the minimum), DataError if there is no text, and as LineReader.
std::string train_tokenizer(std::span<TrainingText> texts, const TokenizerConfig& config,
                            std::int64_t max_lines = kMaxTrainingLines);

/// Reads the files to collect their samples, then trains as above.
std::string train_tokenizer(std::span<const std::filesystem::path> files, const TokenizerConfig& config,
                            std::int64_t max_lines = kMaxTrainingLines);

}  // namespace gloss
