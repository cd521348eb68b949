#pragma once

#include <string_view>

namespace gloss {

/// The page of web/translator.html with its style sheets and scripts (cmake/write_web_files.cmake).
extern const std::string_view kTranslatorPage;

}  // namespace gloss
