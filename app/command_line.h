#pragma once

#include "app/options/command.h"

namespace gloss {

/// Parses the arguments. Returns an Action for output that depends on the declarations of the commands only, such as
/// the help or the version. Throws UsageError.
Command parse_command_line(int argc, const char* const* argv);

}  // namespace gloss
