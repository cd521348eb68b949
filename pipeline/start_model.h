#pragma once

#include <string>

#include "common/json.h"
#include "common/safetensors.h"

namespace gloss {

/// The model file that training.start_from names: the path itself, or model.safetensors in the folder of a finished
/// run. Throws DataError where it is missing, ModelError where it is damaged or no model file.
SafetensorsFile open_start_model(const std::string& path);

/// What a run file may leave out because the model that it starts from says it: completes the sections `model`,
/// `tokenizer`, `decoding` and `evaluation` of `run_file`. Throws UsageError naming the keys of `model` and `tokenizer`
/// that are there and say something else, dropout alone being free; ModelError where the file's own configuration is
/// none.
void complete_from(const SafetensorsFile& start_model, Json& run_file);

}  // namespace gloss
