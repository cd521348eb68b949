#pragma once

#include <string_view>

namespace gloss {

// The files of web/, which the build puts into the program (cmake/write_web_files.cmake).
extern const std::string_view kWebPage;    ///< the template, with {{title}}, {{style}}, {{script}}, {{payload}}
extern const std::string_view kWebStyle;   ///< all style sheets
extern const std::string_view kWebScript;  ///< all scripts

}  // namespace gloss
