#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "common/text/letter_case.h"
#include "serve/http/http_message.h"
#include "serve/http/http_syntax.h"
#include "tests/fuzz/fuzz_input.h"

namespace gloss {

inline std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const unsigned char byte : text) encoded.append({'%', kDigits[byte / 16], kDigits[byte % 16]});
  return encoded;
}

/// Reads any bytes as a request that the server could have read: a line "POST /path?query", lines "name: value", an
/// empty line, and the body.
inline HttpRequest read_request_input(std::string_view input) {
  HttpRequest request;
  const auto first = take_line(input);
  const auto space = std::min(first.find(' '), first.size());
  request.method = std::string(first.substr(0, space));
  const auto target = first.substr(std::min(space + 1, first.size()));
  const auto question = std::min(target.find('?'), target.size());
  request.path = percent_decoded(target.substr(0, question)).value_or("/");
  if (has_control(request.path)) request.path = "/";
  request.query = std::string(target.substr(std::min(question + 1, target.size())));
  for (auto line = take_line(input); !line.empty(); line = take_line(input)) {
    const auto colon = line.find(": ");
    if (colon != line.npos && !has_control(line))
      request.headers.emplace_back(lower_ascii(line.substr(0, colon)), line.substr(colon + 2));
  }
  request.body = std::string(input);
  return request;
}

}  // namespace gloss
