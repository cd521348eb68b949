#include "serve/access/origin_check.h"

#include <algorithm>

#include "common/text/letter_case.h"

namespace gloss {
namespace {

/// Returns "localhost:5000" of "http://localhost:5000".
std::string_view authority_of(std::string_view origin) {
  const auto scheme = origin.find("://");
  return scheme == origin.npos ? std::string_view() : origin.substr(scheme + 3);
}

/// Returns whether a name is an address of IPv4 that stands for this machine: 127.0.0.0/8.
bool is_loopback_address(std::string_view name) {
  return name.starts_with("127.") && name.find_first_not_of("0123456789.") == name.npos;
}

}  // namespace

std::string host_name(std::string_view host) {
  const auto bracket = host.starts_with('[') ? host.find(']') : host.npos;
  const auto end = bracket != host.npos ? bracket + 1 : std::min(host.find(':'), host.size());
  return lower_ascii(host.substr(0, end));
}

std::string_view OriginPolicy::refusal(const HttpRequest& request) const {
  constexpr std::string_view kOtherPage =
      "This server answers its own pages only; --allow-origin names others that may use it";
  if (!checks_host) return {};
  const auto host = request.header("host");
  const auto name = host_name(host);
  const bool is_own = name == "localhost" || name == "[::1]" || is_loopback_address(name) ||
                      std::ranges::find(hosts, name) != hosts.end();
  if (!is_own) return "This server answers to its own names only; --allow-host adds some";
  const auto origin = request.header("origin");
  // Pages ask for images and the like without an origin; a link that a person follows shows itself in the browser.
  const bool is_allowed =
      origin.empty()
          ? request.header("sec-fetch-site") != "cross-site" || request.header("sec-fetch-dest") == "document"
          : lower_ascii(authority_of(origin)) == lower_ascii(host) || !cors_fields(request).empty();
  return is_allowed ? std::string_view() : kOtherPage;
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
