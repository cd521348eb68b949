#pragma once

#include <filesystem>
#include <string>

#include "common/config/json.h"
#include "common/files/safetensors.h"
#include "pipeline/run/run_config.h"

namespace gloss {

/// The file that training.start_from means: the path itself, or model.safetensors in the folder of a finished run.
std::filesystem::path start_model_file(const std::string& path);

/// Throws DataError where it is missing, ModelError where it is damaged or no model file.
SafetensorsFile open_start_model(const std::string& path);

/// Its own configuration. Throws ModelError where that is none.
RunConfig config_of_start_model(const SafetensorsFile& start_model);
/// The same by its header, which is read alone: whether the weights are whole is not seen. Throws as open_start_model.
RunConfig config_of_start_model(const std::string& path);

/// What a run file may leave out because the model that it starts from, whose configuration is `start`, says it:
/// completes the sections `model`, `tokenizer`, `decoding` and `evaluation` of `run_file`. Throws UsageError naming the
/// keys of `model` and `tokenizer` that are there and say something else, dropout alone being free.
void complete_from(const RunConfig& start, Json& run_file);

}  // namespace gloss
