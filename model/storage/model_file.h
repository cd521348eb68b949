#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "common/config/json.h"
#include "common/files/safetensors.h"
#include "common/files/safetensors_writer.h"
#include "model/encoder_decoder.h"
#include "model/model_config.h"
#include "model/shortlist.h"
#include "model/storage/lazy_model.h"
#include "model/storage/stored_weights.h"
#include "model/storage/tensor_names.h"
#include "model/weights.h"

namespace gloss {

/// Format name in a model file's metadata, and the version that is written and read.
inline constexpr std::string_view kModelFormat = "gloss-model";
inline constexpr int kModelFormatVersion = 1;
/// Format name in a checkpoint's metadata (training/checkpoint.h).
inline constexpr std::string_view kCheckpointFormat = "gloss-checkpoint";
/// Names of the model and of the folder of checkpoints in the folder of a run.
inline constexpr const char* kModelFileName = "model.safetensors";
inline constexpr const char* kCheckpointsFolder = "checkpoints";

/// Content of a model file besides the weights (docs/file_formats.md).
struct ModelDescription {
  Json config;      ///< the resolved run file without the user's paths
  Json provenance;  ///< origin of the weights: steps, hashes, scores
  /// SentencePiece models by the names of their tensors.
  std::map<std::string, std::string> tokenizers;
  /// Input scales (StoredWeight::input_scale) by the names of weights. They are written beside int8 values only.
  std::map<std::string, float> input_scales = {};
  std::shared_ptr<const Shortlist> shortlist = nullptr;  ///< null: none
};

/// Content of a model file except its weights, with the parsed configuration.
struct ModelContents {
  ModelConfig config;
  Vocabularies vocabularies;
  ModelDescription description;
  WeightPrecision precision = WeightPrecision::kFloat32;  ///< precision of the file's matrices
};

/// A model file whose weights are read when they are needed.
struct StoredModel : ModelContents {
  LazyModel model;
};

/// A whole model file.
struct LoadedModel : ModelContents {
  EncoderDecoder model{nullptr};
};

/// Returns the scales in int8 of a model with this configuration: those that it was tuned for, or those of rows.
Int8Scales int8_scales_of(const Json& config);

/// Writes format "gloss-model", version "1", atomically, with matrices rounded to `precision`. A model that was
/// tuned with training.quantize = int8_matrix has one scale for each matrix in int8. Throws IoError.
void write_model_file(const std::filesystem::path& path, const EncoderDecoder& model,
                      const ModelDescription& description, WeightPrecision precision = WeightPrecision::kFloat32);
/// Writes the same format with weights that are stored already.
void write_model_file(const std::filesystem::path& path, FileTensors stored, const ModelDescription& description);

/// Writes the same format weight by weight, so that one of them, or some of its rows, is in memory at a time.
class ModelFileWriter {
 public:
  /// Throws IoError, or ModelError if the header would be too large.
  ModelFileWriter(const std::filesystem::path& path, const std::map<std::string, WeightInfo>& network,
                  WeightPrecision precision, const ModelDescription& description);
  /// Writes the rows of a weight from `first` on; a vector's rows are its elements. If the precision is int8, int8
  /// values stay as they are, with their scales. Throws IoError.
  void write(const std::string& weight, std::int64_t first, const StoredWeight& rows);
  /// Completes the file, once all weights are written. Throws IoError.
  void commit() { file_.commit(); }

 private:
  WeightPrecision precision_;
  SafetensorsWriter file_;
};

/// Reads the content and compares it with the names, types and shapes of the file's tensors. Throws ModelError if they
/// disagree, or for another format or a newer version.
ModelContents read_model_contents(const SafetensorsFile& file);

/// Checks a model file as read_model_file does, except for values that are not finite: these throw when they are read.
/// The weights stay in `file`, which should be opened in place. The network is made on `device`.
StoredModel open_model_file(const SafetensorsFile& file, at::Device device);

/// Loads a model as float32 on `device`. Throws ModelError if the file is damaged, of another format or a newer
/// version, or if a tensor is missing, unknown, not finite or of the wrong type or shape; IoError if it cannot be read.
LoadedModel read_model_file(const std::filesystem::path& path, at::Device device);
LoadedModel read_model_file(const SafetensorsFile& file, at::Device device);

}  // namespace gloss
