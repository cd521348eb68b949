#pragma once

#include <string>

#include "common/config/json.h"
#include "common/files/safetensors.h"
#include "run/config/run_config.h"

namespace gloss {

/// Opens the model of training.start_from. Throws DataError if it is missing, and ModelError if it is damaged or not a
/// model file.
SafetensorsFile open_start_model(const std::string& path);
/// Returns the configuration of the model. Throws ModelError if it is invalid.
RunConfig config_of_start_model(const SafetensorsFile& start_model);
/// Returns the configuration of the model from the header of its file; damaged weights are not noticed. Throws as
/// open_start_model.
RunConfig config_of_start_model(const std::string& path);

/// Fills in the open keys of the sections `model`, `tokenizer`, `decoding` and `evaluation` of `run_file`. `start` is
/// the configuration of the model that the run starts from. Throws UsageError naming the keys of `model` and
/// `tokenizer` that are set to other values; only dropout may differ.
void complete_from(const RunConfig& start, Json& run_file);

/// Returns a warning if the run translates in the opposite direction of the model that it starts from. Empty otherwise,
/// and if a language is unknown.
std::string warn_of_direction(const RunConfig& start, const DataConfig& data);

}  // namespace gloss
