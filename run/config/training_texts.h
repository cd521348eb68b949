#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/aligned_reader.h"
#include "data/scan_texts.h"
#include "run/config/run_config.h"
#include "tokenizer/train_tokenizer.h"

namespace gloss {

/// Returns the results that a run needs from its training texts before it encodes them.
ScanOptions scan_options(const RunConfig& config);

/// The training texts of a run before they are encoded. They are read once, when a result is first needed.
class TrainingTexts {
 public:
  /// `options` are the results that will be needed. The reading ends after a signal.
  TrainingTexts(std::vector<TextFiles> files, const ScanOptions& options);

  const std::vector<TextFiles>& files() const { return files_; }
  /// Returns the results; reads the texts in the first call. Throws as scan_texts, and Stopped after a signal.
  const ScannedTexts& scan();
  /// Returns whether these are the texts, the options include `needed`, and the files have not changed since they were
  /// read.
  bool serves(std::span<const TextFiles> files, const ScanOptions& needed) const;

  /// Trains a tokenizer on the sources, the targets, or both. Throws as train_tokenizer and scan.
  enum class Sides { kSource, kTarget, kBoth };
  std::string train_tokenizer(Sides sides, const TokenizerConfig& config);
  /// Frees the lines that were kept for training tokenizers.
  void drop_samples();

 private:
  std::vector<TextFiles> files_;
  ScanOptions options_;
  std::optional<ScannedTexts> scanned_;
};

}  // namespace gloss
