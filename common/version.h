#pragma once

#include <string_view>

namespace gloss {

/// The version of this program; the build reads it from here.
inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace gloss
