#pragma once

#include <string_view>

namespace gloss {

/// Returns a description of a file's format, from its first bytes, for messages about wrong files: "a JSON text",
/// "gzip: decompress it first". Eight bytes suffice. Empty for an unknown format.
std::string_view file_kind(std::string_view start);

}  // namespace gloss
