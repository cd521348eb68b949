#include "interchange/export/export_model.h"

#include <algorithm>
#include <string>

#include "common/error.h"
#include "interchange/export/export_ctranslate2.h"
#include "interchange/export/export_huggingface.h"
#include "interchange/export/export_marian.h"
#include "model/storage/stored_weights.h"
#include "translation/models/convert_model.h"

namespace gloss {
namespace {

Refusals refusals_of(const ExportSettings& settings, const TranslationModel& model) {
  switch (settings.format) {
    case ExportFormat::kCtranslate2:
      return ctranslate2_refusals(model);
    case ExportFormat::kHuggingFace:
      return huggingface_refusals(model, settings.precision);
    case ExportFormat::kMarian:
      break;
  }
  auto refusals = marian_refusals(model);
  refusals.require(settings.precision == WeightPrecision::kFloat32,
                   "--precision: wanted float32, got " + std::string(weight_precision_name(settings.precision)));
  return refusals;
}

std::string write_files(const ExportSettings& settings, const TranslationModel& model, OutputFolder& folder) {
  switch (settings.format) {
    case ExportFormat::kCtranslate2:
      return export_ctranslate2(model, settings.precision, folder);
    case ExportFormat::kHuggingFace:
      return export_huggingface(model, settings.precision, folder);
    case ExportFormat::kMarian:
      break;
  }
  return export_marian(model, folder);
}

std::string_view name_of(ExportFormat format) {
  return std::ranges::find(kExportFormats, format, &std::pair<std::string_view, ExportFormat>::second)->first;
}

}  // namespace

std::uintmax_t export_model(const ExportSettings& settings) {
  const auto model = load_translation_model(settings.model, at::kCPU);
  const auto refusals = refusals_of(settings, model);
  if (!refusals.empty())
    throw UsageError("--to " + std::string(name_of(settings.format)) + ": the format cannot express this model: " +
                     refusals.text() + "; docs/interop.md has what each format can express");
  warn_of_rounding(settings.model, model.file.precision, settings.precision);
  OutputFolder folder(settings.output, settings.overwrite, {{"--model", model_path(settings.model)}});
  folder.commit(write_files(settings, model, folder));
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(settings.output)) bytes += entry.file_size();
  return bytes;
}

}  // namespace gloss
