#pragma once

#include <exception>
#include <string>

namespace gloss {

/// Returns the message of an exception of c10d without the period and the stack of calls that follows.
std::string c10d_message(const std::exception& fault);

/// Keeps c10d from printing stacks of calls as warnings and errors. Its exceptions have their text, too.
void keep_c10d_quiet();

}  // namespace gloss
