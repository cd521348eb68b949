#pragma once

#include <string>
#include <string_view>

#include "common/config/json.h"
#include "common/files/safetensors.h"

namespace gloss {

/// Returns the metadata value of `key`. Throws ModelError with the key if it is missing.
const std::string& metadata_value(const SafetensorsFile& file, const std::string& key);

/// Returns the JSON object in the metadata value of `key`. Throws ModelError if it is not strict JSON or not an object.
Json metadata_json(const SafetensorsFile& file, const std::string& key);

/// Returns the metadata value of "format", printable, or "none".
std::string format_of(const SafetensorsFile& file);

/// Returns whether gloss wrote the file, by its format.
bool is_of_gloss(const SafetensorsFile& file);

/// Throws ModelError for a file of another program. `wanted` are the formats that the caller reads.
[[noreturn]] void refuse_foreign(const SafetensorsFile& file, std::string_view wanted);

/// Throws ModelError unless the metadata has `format`, `version` and the checksum of the tensors; without it, the
/// tensors have not been checked. The message mentions a newer version.
void expect_format(const SafetensorsFile& file, std::string_view format, int version);

}  // namespace gloss
