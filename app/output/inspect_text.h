#pragma once

#include <cstdint>
#include <string>

#include "common/config/json.h"

namespace gloss {

/// Five lines for a reader in a hurry: kind of file, languages, size, training, scores. `description` is the object of
/// `gloss inspect --json`, `bytes` the file's size. A value that the file does not hold is "not recorded".
std::string summary_lines(const Json& description, std::uintmax_t bytes);

/// The whole description as text.
std::string description_lines(const Json& description);

}  // namespace gloss
