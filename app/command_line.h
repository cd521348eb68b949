#pragma once

#include "app/options/command.h"

namespace gloss {

/// Parses the arguments. An Action prints the help, the version or what is derived from the declarations of the
/// commands. Throws UsageError.
Command parse_command_line(int argc, const char* const* argv);

}  // namespace gloss
