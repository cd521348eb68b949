#pragma once

#include <filesystem>
#include <vector>

#include "app/options/given_settings.h"

namespace gloss {

/// Options of `gloss tokenizer train`.
struct TrainTokenizerOptions {
  CommonOptions common;
  std::vector<std::filesystem::path> input;
  GivenSettings given;
  std::filesystem::path output;
  bool overwrite = false;
};

/// Options of a command that converts the lines of stdin by a tokenizer.
struct ConvertLinesOptions {
  CommonOptions common;
  std::filesystem::path model;
};
/// Options of `gloss tokenizer encode`.
struct EncodeOptions : ConvertLinesOptions {};
/// Options of `gloss tokenizer decode`.
struct DecodeOptions : ConvertLinesOptions {};

}  // namespace gloss
