#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gloss {

/// Names and values of header fields, names in small letters.
using HeaderFields = std::vector<std::pair<std::string, std::string>>;

/// A request (RFC 9112) that was read to its end.
struct HttpRequest {
  std::string method;    ///< "GET"
  std::string path;      ///< "/translate", percent-decoded
  std::string query;     ///< what follows ?, as sent
  HeaderFields headers;  ///< those of one name are joined by ", "
  std::string body;
  std::string peer;  ///< address of the client
  std::string id;    ///< for logs and the answer: the client's X-Request-Id, or a random one

  /// Returns the value of a field, or "".
  std::string_view header(std::string_view name) const {
    const auto found = std::ranges::find(headers, name, &HeaderFields::value_type::first);
    return found == headers.end() ? std::string_view() : std::string_view(found->second);
  }
};

/// An answer. Content-Length, Connection, Date and X-Request-Id are added when it is sent.
struct HttpResponse {
  int status = 200;
  std::string body = {};
  std::string content_type = "application/json";  ///< "": no field
  HeaderFields headers = {};
};

}  // namespace gloss
