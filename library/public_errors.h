#pragma once

namespace gloss {

/// Throws the public exception (gloss/error.h) for the exception that is being handled. Call it in a catch block.
[[noreturn]] void throw_public_error();

}  // namespace gloss
