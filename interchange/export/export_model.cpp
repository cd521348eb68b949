#include "interchange/export/export_model.h"

#include <string>

#include "common/error.h"
#include "common/log/log.h"
#include "common/text/printable.h"
#include "interchange/export/export_checks.h"
#include "model/storage/stored_weights.h"
#include "translation/models/convert_model.h"

namespace gloss {
namespace {

struct Exporter {
  Refusals (*refusals)(const TranslationModel&, WeightPrecision);
  std::string (*write)(const TranslationModel&, WeightPrecision, OutputFolder&);
};
// In the order of ExportFormat.
constexpr std::array<Exporter, 3> kExporters{{{ctranslate2_refusals, export_ctranslate2},
                                              {huggingface_refusals, export_huggingface},
                                              {marian_refusals, export_marian}}};

}  // namespace

std::uintmax_t export_model(const ExportSettings& settings) {
  const auto model = load_translation_model(settings.model, at::kCPU);
  const auto format = static_cast<std::size_t>(settings.format);
  const auto refusals = kExporters.at(format).refusals(model, settings.precision);
  if (!refusals.empty())
    throw UsageError("--to " + std::string(kExportFormats.at(format).first) +
                     ": the format cannot express this model: " + refusals.text() +
                     "; docs/interop.md has what each format can express");
  warn_of_rounding(settings.model, model.file.precision, settings.precision);
  if (const auto& description = model.file.description;
      (description.shortlist != nullptr || !description.input_scales.empty()) &&
      (settings.format != ExportFormat::kMarian || settings.precision != WeightPrecision::kInt8))
    log_warning(printable(settings.model.string()) +
                ": its shortlist and its scales of inputs are not exported; other programs translate without them");
  OutputFolder folder(settings.output, settings.overwrite, {{"--model", model_path(settings.model)}});
  folder.commit(kExporters.at(format).write(model, settings.precision, folder));
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(settings.output)) bytes += entry.file_size();
  return bytes;
}

}  // namespace gloss
