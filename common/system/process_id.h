#pragma once

#include <optional>
#include <string_view>

#include <sys/types.h>

namespace gloss {

/// Returns the number that decimal digits alone spell, or nothing: part of a temporary file's name.
std::optional<pid_t> parse_process_id(std::string_view digits);

/// Returns whether a process of this machine has this id, also one of another user.
bool is_running(pid_t process);

}  // namespace gloss
