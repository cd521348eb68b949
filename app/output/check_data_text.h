#pragma once

#include <string>

#include "run/check_data.h"

namespace gloss {

/// Returns the check as readable lines: each set with its texts, the problems found, and the warnings that training
/// would print.
std::string to_lines(const DataCheck& check);

}  // namespace gloss
