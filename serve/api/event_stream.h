#pragma once

#include <string>
#include <string_view>

#include "common/config/json.h"
#include "serve/http/http_message.h"

namespace gloss {

inline constexpr std::string_view kEventStream = "text/event-stream";

/// Returns whether a client asks for server-sent events (field Accept).
inline bool wants_events(const HttpRequest& request) {
  return request.header("accept").find(kEventStream) != std::string_view::npos;
}

/// Returns an event (WHATWG HTML, section 9.2) whose data is JSON in one line.
inline std::string event(std::string_view name, const Json& data) {
  return std::string("event: ").append(name).append("\ndata: ").append(to_text(data)).append("\n\n");
}

}  // namespace gloss
