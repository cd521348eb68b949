#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "common/text/language_match.h"
#include "common/text/letter_case.h"
#include "serve/api/api_routes.h"
#include "serve/api/deepl.h"
#include "serve/http/api_error.h"
#include "serve/service/language_detector.h"
#include "serve/service/language_names.h"

namespace gloss {
namespace {

/// Languages of models, and what DeepL calls them as targets.
constexpr auto kTargets = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"en", "en-GB"},
    {"en", "en-US"},
    {"pt", "pt-BR"},
    {"pt", "pt-PT"},
    {"zh", "zh"},
    {"zh", "zh-Hans"},
    {"zh-CN", "zh-Hans"},
    {"zh-TW", "zh-Hant"},
    {"no", "nb"},
});

std::string served(const ServedModels& models, std::string_view code, std::string ServedModel::*side) {
  const auto has = [&](std::string_view wanted) {
    return std::ranges::any_of(models.models(),
                               [&](const auto& model) { return language_match(wanted, model.*side) > 0; });
  };
  if (!has(code))
    for (const auto& [language, target] : kTargets)
      if (language_match(target, code) == 2 && has(language)) return std::string(language);
  return std::string(code);
}

struct LanguageUse {
  bool as_source = false, as_target = false;
};

/// Returns DeepL's codes of the languages that are served: sources without a region, targets as variants.
std::map<std::string, LanguageUse> languages_in_use(const ServedModels& models) {
  std::map<std::string, LanguageUse> uses;
  for (const auto& language : models.languages()) {
    if (!language.targets.empty()) uses[primary_language(language.code)].as_source = true;
    for (const auto& code : language.targets) {
      bool has_other_names = false;
      for (const auto& [served, target] : kTargets)
        if (language_match(served, code) == 2) has_other_names = uses[std::string(target)].as_target = true;
      if (!has_other_names) uses[code].as_target = true;
    }
  }
  return uses;
}

}  // namespace

std::string served_source(const ServedModels& models, std::string_view code) {
  return served(models, code, &ServedModel::source);
}

std::string served_target(const ServedModels& models, std::string_view code) {
  return served(models, code, &ServedModel::target);
}

std::string primary_language(std::string_view code) {
  const auto primary = lower_ascii(code.substr(0, code.find_first_of("-_")));
  return primary == "no" ? "nb" : primary;
}

std::string in_capitals(std::string_view code) {
  std::string capitals(code);
  for (auto& c : capitals) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c == '_' ? '-' : c;
  return capitals;
}

void deepl_languages(ApiCall& call) {
  const auto type = call.fields().text("type").value_or("source");
  if (type != "source" && type != "target") throw ApiError(400, "Invalid request: type: wanted source or target");
  auto list = Json::array();
  for (const auto& [code, use] : languages_in_use(*call.context().models)) {
    if (!(type == "source" ? use.as_source : use.as_target)) continue;
    list.push_back({{"language", in_capitals(code)}, {"name", language_name(code)}});
    if (type == "target") list.back()["supports_formality"] = false;
  }
  call.respond(list);
}

void deepl_languages_by_resource(ApiCall& call) {
  const auto resource = call.fields().text("resource").value_or(call.fields().text("product").value_or(""));
  constexpr std::string_view kTexts = "translate_text", kGlossaries = "glossary";
  constexpr std::array<std::string_view, 3> kOthers = {"voice", "write", "style_rules"};
  if (resource != kTexts && resource != kGlossaries && std::ranges::find(kOthers, resource) == kOthers.end())
    throw ApiError(400, "Invalid request: resource: wanted translate_text or glossary");
  const Json feature = {{"status", "stable"}};
  auto list = Json::array();
  const auto add = [&](const std::string& code, LanguageUse use) {
    list.push_back({{"lang", code},
                    {"name", language_name(code)},
                    {"usable_as_source", use.as_source},
                    {"usable_as_target", use.as_target},
                    {"status", "stable"},
                    {"features", Json::object()}});
    if (resource != kTexts) return;
    list.back()["features"] = {{"tag_handling", feature}, {"glossary", feature}};
    if (use.as_source && has_language_detector()) list.back()["features"]["auto_detection"] = feature;
  };
  if (resource == kTexts)
    for (const auto& [code, use] : languages_in_use(*call.context().models)) add(code, use);
  std::map<std::string, LanguageUse> primary;
  for (const auto& model : call.context().models->models())
    primary[primary_language(model.source)].as_source = primary[primary_language(model.target)].as_target = true;
  if (resource == kGlossaries)
    for (const auto& [code, use] : primary) add(code, use);
  call.respond(list);
}

void deepl_glossary_pairs(ApiCall& call) {
  std::set<std::pair<std::string, std::string>> pairs;
  for (const auto& model : call.context().models->models())
    pairs.emplace(primary_language(model.source), primary_language(model.target));
  auto list = Json::array();
  for (const auto& [source, target] : pairs) list.push_back({{"source_lang", source}, {"target_lang", target}});
  call.respond({{"supported_languages", list}});
}

}  // namespace gloss
