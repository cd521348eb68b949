#include "serve/routes.h"

#include <algorithm>
#include <array>

#include "serve/api/api_routes.h"
#include "serve/http/api_error.h"

namespace gloss {
namespace {

/// The process answers.
void health(ApiCall& call) { call.respond({{"status", "ok"}}); }

/// It takes requests to translate: a balancer sends them elsewhere meanwhile if not.
void ready(ApiCall& call) {
  if (!call.context().is_ready) throw ApiError(503, "The server ends, or is busy", {{"Retry-After", "1"}});
  call.respond({{"status", "ok"}});
}

void metrics(ApiCall& call) {
  auto text = call.context().metrics.text();
  text += "# HELP gloss_model_info A model that is served.\n# TYPE gloss_model_info gauge\n";
  for (const auto& model : call.context().models->models())
    text += "gloss_model_info{name=" + label_value(model.name) + ",sha256=" + label_value(model.sha256) +
            ",source=" + label_value(model.source) + ",target=" + label_value(model.target) + "} 1\n";
  call.exchange().respond({.body = std::move(text), .content_type = "text/plain; version=0.0.4; charset=utf-8"});
}

/// GET /v1/models: name, hash and languages of each.
void models(ApiCall& call) {
  auto list = Json::array();
  for (const auto& model : call.context().models->models())
    list.push_back(
        {{"name", model.name}, {"sha256", model.sha256}, {"source", model.source}, {"target", model.target}});
  call.respond(list);
}

constexpr auto kRoutes = std::to_array<Route>({
    {.methods = "POST", .path = "/translate", .answer = libre_translate, .translates = true},
    {.methods = "POST", .path = "/detect", .answer = libre_detect, .translates = true},
    {.methods = "GET", .path = "/languages", .answer = libre_languages, .is_open = true},
    {.methods = "GET", .path = "/frontend/settings", .answer = libre_settings, .is_open = true},
    {.methods = "POST", .path = "/suggest", .answer = libre_suggest, .takes_time = true},
    {.methods = "POST",
     .path = "/translate_file",
     .answer = libre_translate_file,
     .translates = true,
     .has_file = true},
    // The name is the secret of a link: a browser that follows it shows no key.
    {.methods = "GET", .path = "/download_file/*", .answer = libre_download_file, .takes_time = true, .is_open = true},
    {.methods = "GET, POST", .path = "/v2/translate", .answer = deepl_translate, .translates = true},
    {.methods = "GET, POST", .path = "/v2/languages", .answer = deepl_languages, .takes_time = true},
    {.methods = "GET", .path = "/v3/languages", .answer = deepl_languages_by_resource},
    {.methods = "GET, POST", .path = "/v2/usage", .answer = deepl_usage, .takes_time = true},
    {.methods = "GET", .path = "/v2/glossary-language-pairs", .answer = deepl_glossary_pairs},
    {.methods = "GET", .path = "/v2/glossaries", .answer = deepl_glossaries, .takes_time = true},
    {.methods = "POST", .path = "/v2/glossaries", .answer = deepl_glossaries, .translates = true},
    {.methods = "GET, DELETE", .path = "/v2/glossaries/*", .answer = deepl_glossaries, .takes_time = true},
    {.methods = "GET", .path = "/v3/glossaries", .answer = deepl_multilingual_glossaries, .takes_time = true},
    {.methods = "POST", .path = "/v3/glossaries", .answer = deepl_multilingual_glossaries, .translates = true},
    {.methods = "GET, DELETE", .path = "/v3/glossaries/*", .answer = deepl_multilingual_glossaries, .takes_time = true},
    {.methods = "PATCH, PUT", .path = "/v3/glossaries/*", .answer = deepl_multilingual_glossaries, .translates = true},
    {.methods = "POST", .path = "/v2/document", .answer = deepl_upload_document, .translates = true, .has_file = true},
    {.methods = "GET, POST", .path = "/v2/document/*", .answer = deepl_document, .takes_time = true},
    {.methods = "DELETE", .path = "/v2/document/*", .answer = deepl_document},
    {.methods = "GET", .path = "/", .answer = own_page, .is_open = true},
    {.methods = "POST", .path = "/v1/score", .answer = own_score, .translates = true},
    {.methods = "POST", .path = "/v1/alternatives", .answer = own_alternatives, .translates = true},
    {.methods = "GET, POST", .path = "/v1/explanation", .answer = own_explanation, .translates = true},
    {.methods = "GET", .path = "/v1/models", .answer = models},
    {.methods = "GET", .path = "/metrics", .answer = metrics},
    {.methods = "GET", .path = "/health", .answer = health, .is_open = true},
    {.methods = "GET", .path = "/ready", .answer = ready, .is_open = true},
});

bool matches(const Route& route, std::string_view path) {
  if (!route.path.ends_with("/*")) return route.path == path;
  const auto beginning = route.path.substr(0, route.path.size() - 1);
  return path.starts_with(beginning) && path.size() > beginning.size();
}

}  // namespace

std::span<const Route> routes() { return kRoutes; }

const Route* find_route(const HttpRequest& request) {
  const auto method = request.method == "HEAD" ? std::string("GET") : request.method;
  for (const auto& route : kRoutes)
    if (matches(route, request.path) && std::ranges::count(comma_list(route.methods), method) > 0) return &route;
  return nullptr;
}

std::string methods_of(std::string_view path) {
  std::string methods;
  for (const auto& route : kRoutes)
    if (matches(route, path)) methods.append(methods.empty() ? "" : ", ").append(route.methods);
  return methods;
}

}  // namespace gloss
