#include "serve/api/detect.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "common/text/language_match.h"
#include "common/text/language_tag.h"
#include "serve/api/deepl.h"
#include "serve/http/api_error.h"

namespace gloss {

bool stays(const ServedModels& models, std::string_view source, std::string_view target) {
  const auto is_served = [&](const auto& language) { return language_match(source, language.code) > 0; };
  return primary_language(source) == primary_language(target) && is_language_tag(with_hyphens(std::string(source))) &&
         is_language_tag(with_hyphens(std::string(target))) && models.route(source, target).size() != 1 &&
         std::ranges::any_of(models.languages(), is_served);
}

DetectedLanguage detect(const ServedModels& models, const ServeSettings& settings, std::string_view text,
                        std::string_view target) {
  if (!has_language_detector())
    throw ApiError(400, "Languages cannot be detected: this server is built without CLD2; name the source language");
  const auto fits = [&](const std::string& code) { return target.empty() || !models.route(code, target).empty(); };
  for (const auto& language : detect_languages(text, models))
    if (fits(language.code) || stays(models, language.code, target)) return language;
  if (!settings.default_language.empty() && fits(settings.default_language)) return {settings.default_language, 0};
  for (const auto& language : models.languages())
    if (!language.targets.empty() && fits(language.code)) return {language.code, 0};
  return {models.languages().front().code, 0};
}

TranslatedTexts translate_by_source(ApiCall& call, TextJob job, const std::string& source, const std::string& target) {
  const auto texts = std::move(job.texts);
  TranslatedTexts result;
  std::map<std::string, std::vector<std::size_t>> by_source;  // places of texts
  for (std::size_t i = 0; i < texts.size(); ++i) {
    result.sources.push_back(source.empty()
                                 ? detect(*call.context().models, call.context().config.settings, texts[i], target)
                                 : DetectedLanguage{source, 0});
    by_source[result.sources.back().code].push_back(i);
  }
  const auto stay = [&](const std::string& code) { return stays(*call.context().models, code, target); };
  for (const auto& [code, places] : by_source)
    if (!stay(code)) call.route(code, target);
  call.use_characters(texts);
  result.answers.resize(texts.size());
  for (const auto& [code, places] : by_source) {
    if (stay(code)) {
      for (const auto place : places) result.answers[place].text = texts[place];
      continue;
    }
    const auto route = call.route(code, target);
    job.texts.clear();
    for (const auto place : places) job.texts.push_back(texts[place]);
    auto answers = translate_texts(route, job);
    for (std::size_t i = 0; i < places.size(); ++i) result.answers[places[i]] = std::move(answers[i]);
    result.hashes += (result.hashes.empty() ? "" : ", ") + model_hashes(route);
  }
  return result;
}

}  // namespace gloss
