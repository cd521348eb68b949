#pragma once

namespace gloss {

/// Throws the exception that is being handled as the public one of its kind (gloss/error.h); to be called in a catch.
[[noreturn]] void throw_public_error();

}  // namespace gloss
