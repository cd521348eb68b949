#pragma once

#include <string>
#include <string_view>

namespace gloss {

/// Returns the bytes in base64 (RFC 4648), padded, without line ends.
std::string base64(std::string_view bytes);

}  // namespace gloss
