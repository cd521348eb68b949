#pragma once

namespace gloss {

/// Returns whether the exception being handled means that memory ran out, on the host or on a device. Call it in a
/// catch block.
bool is_out_of_memory();

}  // namespace gloss
