#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gloss {

/// Returns text that is safe to print: control characters and invalid UTF-8 are escaped. It is cut at `limit`
/// characters; the default is longer than any usual path.
std::string printable(std::string_view text, std::size_t limit = 1000);

}  // namespace gloss
