#pragma once

#include <optional>
#include <string_view>

#include <sys/types.h>

namespace gloss {

/// Parses a process id of decimal digits alone, as in a temporary file's name. Returns nothing for any other text.
std::optional<pid_t> parse_process_id(std::string_view digits);

/// Returns whether a process of this machine has this id, also one of another user.
bool is_running(pid_t process);

}  // namespace gloss
