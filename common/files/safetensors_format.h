#pragma once

#include <string>
#include <string_view>

#include "common/config/json.h"
#include "common/files/safetensors.h"

namespace gloss {

/// The metadata's text under `key`. Throws ModelError naming the key where there is none.
const std::string& metadata_value(const SafetensorsFile& file, const std::string& key);

/// The object that the metadata's text under `key` spells. Throws ModelError where it is no strict JSON or no object.
Json metadata_json(const SafetensorsFile& file, const std::string& key);

/// Throws ModelError unless the metadata says `format` and `version`, and has the sum of the tensors, without which
/// nothing would have been compared. A newer version is said to be one.
void expect_format(const SafetensorsFile& file, std::string_view format, int version);

}  // namespace gloss
