#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gloss {

/// Returns the bytes in base64 (RFC 4648), padded, without line ends.
std::string base64(std::string_view bytes);

/// Returns the bytes of such a text; nothing if it is not base64.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace gloss
