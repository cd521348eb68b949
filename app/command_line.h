#pragma once

#include "app/commands/commands.h"

namespace gloss {

/// Reads the arguments. What is asked for may also be the help or the version. Throws UsageError.
Action parse_command_line(int argc, const char* const* argv);

}  // namespace gloss
