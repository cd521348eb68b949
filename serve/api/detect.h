#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "serve/api/api_context.h"
#include "serve/service/language_detector.h"

namespace gloss {

/// Returns the most likely language, which is `target` or can be translated into it if that is not empty. If there is
/// none, the configured default with confidence 0, or the first language served. Throws ApiError 400 without CLD2.
DetectedLanguage detect(const ServedModels& models, const ServeSettings& settings, std::string_view text,
                        std::string_view target);

/// The translations of the texts of a request, in their order.
struct TranslatedTexts {
  std::vector<TextAnswer> answers;
  std::vector<DetectedLanguage> sources;  ///< of each text
  std::string hashes;                     ///< of the models (model_hashes)
};

/// Counts the characters of the texts of a job, and translates each from its own language; `source` empty: from the one
/// that is detected. Throws ApiError 400 before the first translation if there is no way from one of them.
TranslatedTexts translate_by_source(ApiCall& call, TextJob job, const std::string& source, const std::string& target);

}  // namespace gloss
