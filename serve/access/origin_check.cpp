#include "serve/access/origin_check.h"

#include <algorithm>
#include <array>

#include "common/text/letter_case.h"

namespace gloss {
namespace {

/// Returns "localhost:5000" of "http://localhost:5000".
std::string_view authority_of(std::string_view origin) {
  const auto scheme = origin.find("://");
  return scheme == origin.npos ? std::string_view() : origin.substr(scheme + 3);
}

}  // namespace

std::string host_name(std::string_view host) {
  const auto bracket = host.starts_with('[') ? host.find(']') : host.npos;
  const auto end = bracket != host.npos ? bracket + 1 : std::min(host.find(':'), host.size());
  return lower_ascii(host.substr(0, end));
}

bool OriginPolicy::allows(const HttpRequest& request) const {
  constexpr std::array<std::string_view, 3> kLoopback{"localhost", "127.0.0.1", "[::1]"};
  const auto host = request.header("host");
  const auto name = host_name(host);
  const bool is_own =
      std::ranges::find(kLoopback, name) != kLoopback.end() || std::ranges::find(hosts, name) != hosts.end();
  if (checks_host && !is_own) return false;
  const auto origin = request.header("origin");
  if (!checks_host || origin.empty()) return true;
  return lower_ascii(authority_of(origin)) == lower_ascii(host) || !cors_fields(request).empty();
}

HeaderFields OriginPolicy::cors_fields(const HttpRequest& request) const {
  const auto origin = request.header("origin");
  if (origin.empty()) return {};
  const bool any = std::ranges::find(origins, "*") != origins.end();
  if (!any && std::ranges::find(origins, origin) == origins.end()) return {};
  return {{"Access-Control-Allow-Origin", any ? "*" : std::string(origin)},
          {"Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE, OPTIONS"},
          {"Access-Control-Allow-Headers", "Authorization, Content-Type, X-Request-Id, Gloss-Deadline-Ms"},
          {"Access-Control-Expose-Headers", "X-Request-Id, Gloss-Model"},
          {"Vary", "Origin"}};
}

}  // namespace gloss
