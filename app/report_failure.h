#pragma once

#include <string_view>

#include "common/error.h"

namespace gloss {

/// Prints "gloss: MESSAGE" and returns `code`.
ExitCode fail(ExitCode code, std::string_view message);

/// Prints the exception that is being handled as one line on stderr and returns its exit code.
ExitCode report_failure();

/// Returns whether the exception that is being handled means that the system could not start a thread.
bool is_out_of_threads();
inline constexpr const char* kNoThread = "the system gives no further thread (ulimit -u, ulimit -v or a control group)";

/// Opens the standard descriptors that the parent closed, so that no other file gets their numbers. Reading a text from
/// one of them, or writing a result to it, fails.
void fill_standard_descriptors();

}  // namespace gloss
