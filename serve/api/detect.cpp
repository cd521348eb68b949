#include "serve/api/detect.h"

#include "serve/http/api_error.h"

namespace gloss {

DetectedLanguage detect(const ApiCall& call, std::string_view text, std::string_view target) {
  if (!has_language_detector())
    throw ApiError(400, "Languages cannot be detected: this server is built without CLD2; name the source language");
  const auto& models = *call.context().models;
  for (const auto& language : detect_languages(text, models))
    if (target.empty() || !models.route(language.code, target).empty()) return language;
  if (!call.context().config.settings.default_language.empty())
    return {call.context().config.settings.default_language, 0};
  for (const auto& language : models.languages())
    if (!language.targets.empty() && (target.empty() || !models.route(language.code, target).empty()))
      return {language.code, 0};
  return {models.languages().front().code, 0};
}

}  // namespace gloss
