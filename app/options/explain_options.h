#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/options/decoding_options.h"

namespace gloss {

/// Options of `gloss explain`.
struct ExplainOptions {
  CommonOptions common;
  std::vector<std::filesystem::path> models, runs;
  std::vector<std::string> sentences;
  std::optional<std::string> target;            ///< a sentence; with `heads_report` a file
  std::optional<std::filesystem::path> source;  ///< of `heads_report`
  std::vector<std::string> without;
  Languages languages;
  GivenSettings decoding;
  std::optional<std::filesystem::path> output, svg;
  std::optional<std::filesystem::path> tensorboard;  ///< a folder
  std::optional<std::string> map;
  bool json = false, csv = false, trace = false, quick = false, heads_report = false, overwrite = false;
};

/// Throws UsageError if options do not go together.
void expect_sensible(const ExplainOptions& options);

}  // namespace gloss
