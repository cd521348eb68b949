#pragma once

#include "app/commands/commands.h"

namespace gloss {

/// `gloss help`, `gloss completion` and `gloss man`, which print what the declarations of the other commands hold.
/// `program` must outlive the chosen action.
void add_help_commands(CLI::App& program, Action& chosen);

}  // namespace gloss
