#pragma once

#include <string>
#include <string_view>

namespace gloss {

/// Returns the English name of a language: "Portuguese (BR)" for "pt-BR". The code itself if it has none here.
std::string language_name(std::string_view code);

}  // namespace gloss
