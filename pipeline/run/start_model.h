#pragma once

#include <string>

#include "common/config/json.h"
#include "common/files/safetensors.h"
#include "pipeline/run/run_config.h"

namespace gloss {

/// Opens the model of training.start_from. Throws DataError where it is missing, ModelError where it is damaged or no
/// model file.
SafetensorsFile open_start_model(const std::string& path);

/// The configuration of the model. Throws ModelError where it is invalid.
RunConfig config_of_start_model(const SafetensorsFile& start_model);
/// The same, reading only the header of the file: damaged weights are not noticed. Throws as open_start_model.
RunConfig config_of_start_model(const std::string& path);

/// Fills in the open keys of the sections `model`, `tokenizer`, `decoding` and `evaluation` of `run_file` from `start`,
/// the configuration of the model that the run starts from. Throws UsageError naming the keys of `model` and
/// `tokenizer` that are set to other values; only dropout may differ.
void complete_from(const RunConfig& start, Json& run_file);

/// A warning where the run translates in the opposite direction of the model that it starts from; empty otherwise, and
/// where a language is unknown.
std::string warn_of_direction(const RunConfig& start, const DataConfig& data);

}  // namespace gloss
