#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "serve/http/http_message.h"

namespace gloss {

/// The pages that may use a server, and its names. A server on this machine is open to every web page that a
/// browser shows here, so a name that is not its own (DNS rebinding) and a page of another origin are refused.
struct OriginPolicy {
  bool checks_host = true;           ///< the server listens to this machine only and demands no keys
  std::vector<std::string> hosts;    ///< further names that it has, without port, in small letters
  std::vector<std::string> origins;  ///< pages that may use it (CORS): "https://example.org", or "*"

  /// Returns why a request is not answered, for its client; "" if it is.
  std::string_view refusal(const HttpRequest& request) const;
  /// Returns the fields that let the page of a request read its answer; none if it is of no other origin.
  HeaderFields cors_fields(const HttpRequest& request) const;
};

/// Returns the host of a field Host or of an origin, without port, in small letters: "localhost", "[::1]".
std::string host_name(std::string_view host);

}  // namespace gloss
