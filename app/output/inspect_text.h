#pragma once

#include <cstdint>
#include <string>

#include "common/config/json.h"

namespace gloss {

/// Returns a summary of five lines: kind of file, languages, size, training, scores. `description` is the object of
/// `gloss inspect --json`, `bytes` is the size of the file. A value that the file does not hold is "not recorded".
std::string summary_lines(const Json& description, std::uintmax_t bytes);

/// Returns the whole description as text.
std::string description_lines(const Json& description);

}  // namespace gloss
