#pragma once

#include <string>

#include "pipeline/check_data.h"

namespace gloss {

/// For a person: each set with its texts, what was found, and what training would say.
std::string to_lines(const DataCheck& check);

}  // namespace gloss
