#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "interchange/export/export_model.h"
#include "tests/run/small_job.h"
#include "translation/models/translation_model.h"

namespace gloss {

/// A small model file to export, and the exported folder.
class ExportedModel {
 public:
  /// The model of SmallJob after `change`, with weights from a formula. `convert` changes the bytes of each tokenizer.
  explicit ExportedModel(
      const std::function<void(SmallJob&)>& change = [](SmallJob&) {},
      const std::function<std::string(const std::string&)>& convert = [](const std::string& bytes) { return bytes; });

  /// Stores the matrices in int8 as an import can: the magnitudes of all int8 values are below 127, the scales of rows
  /// 0, 2, 4 ... are a power of two, and that of row 1 is 0.
  void store_coarse_int8() const;

  TranslationModel model() const { return load_translation_model(model_file(), at::kCPU); }
  std::filesystem::path model_file() const { return job_ / "model.safetensors"; }
  std::filesystem::path output() const { return job_ / "out"; }

  /// Exports the model to output(). Throws as export_model.
  void write(ExportFormat format, WeightPrecision precision = WeightPrecision::kFloat32, bool overwrite = false) const;
  std::string text(const std::string& file) const { return text_of_file(output() / file); }
  Json json(const std::string& file) const { return parse_json(text(file)); }

  /// Returns a weight of the model file.
  at::Tensor weight(const std::string& name) const { return model().file.model.weights(name).to_float(); }

 private:
  SmallJob job_;
};

/// Runs the program of the exported README.md, with tests/interchange/export/stand_ins in place of the other
/// program. Returns its output, or its exit code if it fails.
std::string run_readme(const ExportedModel& model, const std::string& input);

/// Returns the message of the UsageError with which the export is refused, or nothing.
std::string refusal(const ExportedModel& model, ExportFormat format,
                    WeightPrecision precision = WeightPrecision::kFloat32);

/// Sets the keys of a model that Marian computes.
void use_marian_formulas(ModelConfig& config);

}  // namespace gloss
