#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "serve/http/http_message.h"

namespace gloss {

/// A request that is answered by a status of its own. The message is for the client: it names what is wanted and
/// repeats none of its text.
struct ApiError : std::runtime_error {
  ApiError(int code, const std::string& message, HeaderFields fields = {})
      : std::runtime_error(message), status(code), headers(std::move(fields)) {}

  int status;
  HeaderFields headers;
};

}  // namespace gloss
