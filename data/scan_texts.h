#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/files/same_file.h"
#include "common/text/format.h"
#include "data/aligned_reader.h"
#include "data/hold_out.h"
#include "data/text_size.h"
#include "tokenizer/train_tokenizer.h"

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

/// Results of reading aligned texts once.
struct ScannedTexts {
  struct Pair {
    ScannedText source, target;
    std::optional<ScannedText> alignment = {};
  };
  std::vector<Pair> texts = {};          ///< in the order of the argument
  std::optional<TextSize> size = {};     ///< of all texts together
  std::optional<HoldOut> held_out = {};  ///< of all texts together
};

/// Options of scan_texts.
struct ScanOptions {
  bool size = false;      ///< measure the size of the texts
  bool hold_out = false;  ///< choose pairs to hold out
  std::int64_t sample_lines =
      0;  ///< collect the lines of a side, for a tokenizer, if it has at most this many; 0: none
  std::function<void()> before_pair = {};  ///< called before each pair; may throw to stop
};

/// Reads aligned texts once, one after the other, both sides to their ends. Memory grows by the samples, at most
/// `sample_lines` lines of the sources and as many of the targets, and by 16 bytes a pair for the hold-out. Throws as
/// LineReader.
ScannedTexts scan_texts(std::span<const TextFiles> texts, const ScanOptions& options);
/// Reads one text.
ScannedTexts scan_texts(const TextFiles& text, const ScanOptions& options);

/// Throws DataError if the numbers of lines of a text differ, or if a text has no lines. Also throws DataError if more
/// than 1 % of the lines of a file are not UTF-8.
void expect_aligned(const ScannedTexts& texts);

}  // namespace gloss
