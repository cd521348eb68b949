#include "serve/routes.h"

#include <array>

#include "serve/api/libre_translate.h"

namespace gloss {
namespace {

void health(ApiCall& call) { call.respond({{"status", "ok"}}); }

void metrics(ApiCall& call) {
  call.exchange().respond(
      {.body = call.context().metrics.text(), .content_type = "text/plain; version=0.0.4; charset=utf-8"});
}

/// GET /v1/models: name, hash and languages of each.
void models(ApiCall& call) {
  auto list = Json::array();
  for (const auto& model : call.context().models->models())
    list.push_back(
        {{"name", model.name}, {"sha256", model.sha256}, {"source", model.source}, {"target", model.target}});
  call.respond(list);
}

}  // namespace

std::span<const Route> routes() {
  static constexpr auto kRoutes = std::to_array<Route>({
      {.method = "POST", .path = "/translate", .answer = libre_translate, .translates = true},
      {.method = "POST", .path = "/detect", .answer = libre_detect, .translates = true},
      {.method = "GET", .path = "/languages", .answer = libre_languages, .is_open = true},
      {.method = "GET", .path = "/frontend/settings", .answer = libre_settings, .is_open = true},
      {.method = "POST", .path = "/suggest", .answer = libre_suggest},
      {.method = "GET", .path = "/health", .answer = health, .is_open = true},
      {.method = "GET", .path = "/ready", .answer = health, .is_open = true},
      {.method = "GET", .path = "/metrics", .answer = metrics},
      {.method = "GET", .path = "/v1/models", .answer = models},
  });
  return kRoutes;
}

}  // namespace gloss
