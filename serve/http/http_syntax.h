#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include "serve/http/http_message.h"

namespace gloss {

inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

/// Takes over path and query. Returns what is wrong with them, for the client.
std::optional<std::string> read_target(std::string_view target, HttpRequest& request);

/// Takes over method, target and fields. Returns what is wrong with them, for the client.
std::optional<std::string> read_head(const boost::beast::http::request<boost::beast::http::string_body>& message,
                                     HttpRequest& request);

/// Returns status line and fields of a response, with the empty line. Throws Error (a defect of the caller) for a field
/// with a control character.
std::string head_text(const HttpResponse& response, std::optional<std::size_t> length, bool keeps_alive,
                      bool is_chunked);

/// Returns a chunk of the chunked transfer coding.
std::string chunk(std::string_view part);

/// Returns {"error":text}.
std::string json_error(std::string_view text);

/// Returns a text with %41 replaced by A; absent if it ends within an escape or has other digits.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space = false);

/// Returns the value of a field X-Request-Id if it is short and plain, else random digits.
std::string request_id(std::string_view given);

/// Returns the id of the trace that a field traceparent names (W3C Trace Context, section 3.2); "" if it is none.
std::string_view trace_id(std::string_view traceparent);

/// Returns whether the client of a socket has closed its side.
bool has_left(int socket);

}  // namespace gloss
