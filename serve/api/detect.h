#pragma once

#include <string_view>

#include "serve/api/api_context.h"
#include "serve/service/language_detector.h"

namespace gloss {

/// Returns the most likely language, which can be translated into `target` if that is not empty. If there is none, the
/// configured default with confidence 0, or the first language served. Throws ApiError 400 without CLD2.
DetectedLanguage detect(const ApiCall& call, std::string_view text, std::string_view target);

}  // namespace gloss
