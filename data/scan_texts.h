#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "common/files/file_stamp.h"
#include "common/text/noted_lines.h"
#include "data/hold_out.h"
#include "data/text_size.h"
#include "tokenizer/training_sample.h"

namespace gloss {

/// Results of reading one text.
struct ScannedText {
  std::filesystem::path path;
  std::int64_t lines = 0;
  NotedLines invalid;  ///< not UTF-8, or with a NUL
  std::string sha256;
  FileStamp stamp;       ///< before the text was read
  bool settled = false;  ///< the stamp was settled at that time (FileStamp::settled)
  std::optional<TrainingSample> sample = {};
};

/// Results of reading two aligned texts once.
struct ScannedTexts {
  ScannedText source, target;
  std::optional<TextSize> size = {};
  std::optional<HoldOut> held_out = {};
};

/// Options of scan_texts.
struct ScanOptions {
  bool size = false;              ///< measure the size of the texts
  bool hold_out = false;          ///< choose pairs to hold out
  std::int64_t sample_lines = 0;  ///< collect the lines of a text that has at most this many, for a tokenizer; 0: none
  std::function<void()> before_pair = {};  ///< called before each pair; may throw to stop
};

/// Reads two texts once, side by side, to their ends. Memory grows by the sample, at most `sample_lines` lines a text,
/// and by 16 bytes a pair for the hold-out. Throws as LineReader.
ScannedTexts scan_texts(const std::filesystem::path& source, const std::filesystem::path& target,
                        const ScanOptions& options);

/// Throws DataError if more than 1 % of a text's lines are not UTF-8, if the numbers of lines differ, or if there are
/// no lines.
void expect_aligned(const ScannedTexts& texts);

}  // namespace gloss
