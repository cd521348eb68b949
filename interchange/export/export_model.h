#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>

#include "model/storage/weight_precision.h"

namespace gloss {

/// Programs for which gloss writes models.
enum class ExportFormat { kCtranslate2, kHuggingFace, kMarian };

/// Names in options and messages.
inline constexpr std::array<std::pair<std::string_view, ExportFormat>, 3> kExportFormats{
    {{"ctranslate2", ExportFormat::kCtranslate2},
     {"huggingface", ExportFormat::kHuggingFace},
     {"marian", ExportFormat::kMarian}}};

/// Settings of an export: a model and the program for which it is written.
struct ExportSettings {
  std::filesystem::path model;  ///< a model file, or the folder of a finished run
  ExportFormat format = ExportFormat::kCtranslate2;
  WeightPrecision precision = WeightPrecision::kFloat32;
  std::filesystem::path output;  ///< a folder, which appears completely or not at all
  bool overwrite = false;        ///< replaces an earlier export
};

/// Writes the folder, with a README.md that shows how to translate with the model. Returns the bytes of its files.
/// Throws UsageError with all reasons if the format cannot express the model, and as OutputFolder; ModelError as
/// load_translation_model; IoError.
std::uintmax_t export_model(const ExportSettings& settings);

}  // namespace gloss
