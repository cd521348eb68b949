#pragma once

#include <string_view>

namespace gloss {

/// Names what a file seems to be, by its first bytes, for the message that it is something else than was wanted: "a
/// JSON text", "gzip: decompress it first". Eight bytes are enough. Empty where it is nothing that is known here.
std::string_view file_kind(std::string_view start);

}  // namespace gloss
