#include "serve/api/detect.h"

#include <cstddef>
#include <map>
#include <utility>

#include "serve/http/api_error.h"

namespace gloss {

DetectedLanguage detect(const ServedModels& models, const ServeSettings& settings, std::string_view text,
                        std::string_view target) {
  if (!has_language_detector())
    throw ApiError(400, "Languages cannot be detected: this server is built without CLD2; name the source language");
  for (const auto& language : detect_languages(text, models))
    if (target.empty() || models.route(language.code, target)) return language;
  const auto is_translated = [&](const std::string& code) {
    const auto route = models.route(code, target);
    return target.empty() || (route && !route->empty());
  };
  const auto& preferred = settings.default_language;
  if (!preferred.empty() && is_translated(preferred)) return {preferred, 0};
  for (const auto& language : models.languages())
    if (!language.targets.empty() && is_translated(language.code)) return {language.code, 0};
  return {models.languages().front().code, 0};
}

TranslatedTexts translate_by_source(ApiCall& call, TextJob job, const std::string& source, const std::string& target) {
  struct Group {
    std::vector<std::size_t> places;  // of its texts
    ModelRoute route;
  };
  const auto texts = std::move(job.texts);
  TranslatedTexts result;
  std::map<std::string, Group> by_source;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    result.sources.push_back(source.empty()
                                 ? detect(*call.context().models, call.context().config.settings, texts[i], target)
                                 : DetectedLanguage{source, 0});
    by_source[result.sources.back().code].places.push_back(i);
  }
  for (auto& [code, group] : by_source) group.route = call.route(code, target);
  call.use_characters(texts);
  result.answers.resize(texts.size());
  for (const auto& [code, group] : by_source) {
    job.texts.clear();
    for (const auto place : group.places) job.texts.push_back(texts[place]);
    auto answers = translate_texts(group.route, job);
    for (std::size_t i = 0; i < group.places.size(); ++i) result.answers[group.places[i]] = std::move(answers[i]);
    const auto hashes = model_hashes(group.route);
    result.hashes.append(result.hashes.empty() || hashes.empty() ? "" : ", ").append(hashes);
  }
  return result;
}

}  // namespace gloss
