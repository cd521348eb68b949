#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/options/decoding_options.h"
#include "app/options/document_options.h"

namespace gloss {

/// Options of `gloss translate`.
struct TranslateOptions {
  CommonOptions common;
  std::vector<std::filesystem::path> models;
  std::optional<std::filesystem::path> input, output, prefix, closest_to, glossary;
  Languages languages;
  GivenSettings decoding;
  std::optional<WeightPrecision> precision;
  bool plain = false;
  bool alignment = false, replace_unknown = false, json_lines = false;
  std::optional<std::string> alignment_from;
  SentenceOptions sentences;
};

/// Options of `gloss score`.
struct ScoreOptions {
  CommonOptions common;
  std::vector<std::filesystem::path> models;
  std::filesystem::path source, target;
  Languages languages;
  GivenSettings decoding;
  std::optional<WeightPrecision> precision;
  bool plain = false;
  bool json_lines = false;
};

}  // namespace gloss
