#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/config/json.h"
#include "common/files/safetensors.h"
#include "model/encoder_decoder.h"
#include "model/model_config.h"
#include "model/storage/stored_weights.h"

namespace gloss {

/// The format that a model file's metadata names, and the version of it that is written and read.
inline constexpr std::string_view kModelFormat = "gloss-model";
inline constexpr int kModelFormatVersion = 1;

/// The tensors that hold SentencePiece models: one, or one for each side.
inline constexpr const char* kJointTokenizer = "tokenizer.model";
inline constexpr const char* kSourceTokenizer = "source_tokenizer.model";
inline constexpr const char* kTargetTokenizer = "target_tokenizer.model";
std::vector<std::string> tokenizer_names(bool joint);

/// What a model file holds beside the weights (docs/file_formats.md).
struct ModelDescription {
  Json config;      ///< the resolved run file without the user's paths
  Json provenance;  ///< where the weights came from: steps, hashes, scores
  /// SentencePiece models by the names of their tensors.
  std::map<std::string, std::string> tokenizers;
};

/// All of a model file but its weights.
struct ModelContents {
  ModelConfig config;
  Vocabularies vocabularies;
  ModelDescription description;
  WeightPrecision precision = WeightPrecision::kFloat32;  ///< what the file's matrices are rounded to
};

struct LoadedModel {
  EncoderDecoder model{nullptr};
  ModelConfig config;
  Vocabularies vocabularies;
  ModelDescription description;
  WeightPrecision precision = WeightPrecision::kFloat32;  ///< what the file's matrices are rounded to
};

/// Writes format "gloss-model", version "1", atomically, matrices rounded to `precision`. Throws IoError.
void write_model_file(const std::filesystem::path& path, const EncoderDecoder& model,
                      const ModelDescription& description, WeightPrecision precision = WeightPrecision::kFloat32);

/// Compares what the file says with the names, types and shapes of its tensors. Throws ModelError where they disagree
/// or it is of another format or a newer version.
ModelContents read_model_contents(const SafetensorsFile& file);

/// Reads it on `device`, as float32. Throws ModelError where the file is damaged, of another format or a newer version,
/// where a tensor is missing, unknown, of the wrong type or shape or not finite; IoError where it cannot be read.
LoadedModel read_model_file(const std::filesystem::path& path, at::Device device);
LoadedModel read_model_file(const SafetensorsFile& file, at::Device device);

}  // namespace gloss
