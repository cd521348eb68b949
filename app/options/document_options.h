#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/options/decoding_options.h"
#include "common/sentences/sentence_splitter.h"

namespace gloss {

/// How a command cuts texts into sentences.
struct SentenceOptions {
  std::optional<SentenceMode> mode;  ///< --split-sentences; absent: the command's default
  std::optional<std::filesystem::path> srx;
};
/// Adds `--split-sentences` and `--srx`.
void add_sentence_options(CLI::App& command, SentenceOptions& options, std::string_view default_mode);

/// Options of `gloss translate-file`.
struct TranslateFileOptions {
  CommonOptions common;
  std::vector<std::filesystem::path> models;
  std::filesystem::path input, output;
  std::string format;  ///< empty: by the file's name
  SentenceOptions sentences;
  bool overwrite_translations = false;
  std::optional<std::filesystem::path> memory, glossary;
  Languages languages;
  GivenSettings decoding;
  std::optional<WeightPrecision> precision;
  bool plain = false;
};

}  // namespace gloss
