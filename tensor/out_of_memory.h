#pragma once

namespace gloss {

/// Whether the exception that is being handled says that memory ran out, on the host or on a device. To be called in a
/// catch.
bool is_out_of_memory();

}  // namespace gloss
