#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace gloss {

/// Programs for which gloss writes models.
enum class ExportFormat { kCtranslate2, kHuggingFace, kMarian };

/// Names in options and messages.
inline constexpr std::array<std::pair<std::string_view, ExportFormat>, 3> kExportFormats{
    {{"ctranslate2", ExportFormat::kCtranslate2},
     {"huggingface", ExportFormat::kHuggingFace},
     {"marian", ExportFormat::kMarian}}};

}  // namespace gloss
