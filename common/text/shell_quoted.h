#pragma once

#include <string>

namespace gloss {

/// Returns the text as one word of a shell command: in quotation marks if it is empty or has special characters.
std::string shell_quoted(const std::string& text);

}  // namespace gloss
