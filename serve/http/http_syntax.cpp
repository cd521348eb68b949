#include "serve/http/http_syntax.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>

#include <boost/beast/http/status.hpp>
#include <poll.h>

#include "common/config/json.h"
#include "common/error.h"
#include "common/system/random_digits.h"
#include "common/text/letter_case.h"
#include "common/text/split.h"

namespace gloss {
namespace {

std::optional<int> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

/// Returns the host of a target in absolute form (RFC 9112, section 3.2.2), "" of one that is a path.
std::string_view host_of(std::string_view target) {
  const auto end = target.find("://");
  const auto scheme = lower_ascii(target.substr(0, end));
  if (end == target.npos || (scheme != "http" && scheme != "https")) return {};
  const auto rest = target.substr(end + 3);
  return rest.substr(0, rest.find_first_of("/?"));
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

/// Returns the time in the format of HTTP: "Sun, 06 Nov 1994 08:49:37 GMT".
std::string date() {
  const auto now = std::time(nullptr);
  std::tm parts{};
  std::array<char, 64> text{};  // gloss sets no locale of times, so that the names are English
  std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", ::gmtime_r(&now, &parts));
  return text.data();
}

}  // namespace

std::optional<std::string> read_target(std::string_view target, HttpRequest& request) {
  const auto host = host_of(target);
  if (!host.empty()) target.remove_prefix(static_cast<std::size_t>(host.data() + host.size() - target.data()));
  const auto query = std::min(target.find('?'), target.size());
  const auto path = percent_decoded(target.substr(0, query));
  if (!path || std::ranges::any_of(*path, is_control)) return "wanted a target without faulty escapes";
  request.path = !host.empty() && path->empty() ? "/" : *path;
  if (!request.path.starts_with('/') && (request.path != "*" || request.method != "OPTIONS"))
    return "wanted a target that begins with /";
  if (query < target.size()) request.query = std::string(target.substr(query + 1));
  return std::nullopt;
}

std::optional<std::string> read_head(const boost::beast::http::request<boost::beast::http::string_body>& message,
                                     HttpRequest& request) {
  request.method = std::string(message.method_string());
  const std::string_view target(message.target().data(), message.target().size());
  if (auto fault = read_target(target, request)) return fault;
  for (const auto& field : message) {
    const auto name = lower_ascii({field.name_string().data(), field.name_string().size()});
    const std::string_view value(field.value().data(), field.value().size());
    if (std::ranges::any_of(value, [](char c) { return is_control(c) && c != '\t'; }))
      return "a field of the header has a control character";
    const auto before = std::ranges::find(request.headers, name, &HeaderFields::value_type::first);
    if (before == request.headers.end())
      request.headers.emplace_back(name, value);
    else if (name == "host" || name == "content-length" || name == "transfer-encoding" || name == "authorization")
      return "the field " + name + " stands twice";
    else
      before->second.append(", ").append(value);
  }
  // Two readers of a request must not differ about where it ends.
  const auto coding = std::ranges::find(request.headers, "transfer-encoding", &HeaderFields::value_type::first);
  if (coding != request.headers.end() && (lower_ascii(coding->second) != "chunked" || message.version() < 11))
    return "wanted the transfer coding chunked";
  if (request.header("content-length").find_first_not_of("0123456789") != std::string_view::npos)
    return "wanted one length";  // Beast takes 5, 5 for 5
  if (message.version() >= 11 && request.header("host").empty()) return "wanted a field host";
  if (const auto host = host_of(target); !host.empty()) {
    std::erase_if(request.headers, [](const auto& field) { return field.first == "host"; });
    request.headers.emplace_back("host", host);
  }
  return std::nullopt;
}

std::string head_text(const HttpResponse& response, std::optional<std::size_t> length, bool keeps_alive,
                      bool is_chunked) {
  const auto reason =
      boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(static_cast<unsigned>(response.status)));
  auto text = "HTTP/1.1 " + std::to_string(response.status) + ' ' + std::string(reason) + "\r\n";
  const auto add = [&](std::string_view name, std::string_view value) {
    if (std::ranges::any_of(name, is_control) || std::ranges::any_of(value, is_control))
      throw Error(ExitCode::kFault, "a field of an answer has a control character");
    text.append(name).append(": ").append(value).append("\r\n");
  };
  add("Date", date());
  if (!response.content_type.empty()) add("Content-Type", response.content_type);
  for (const auto& [name, value] : response.headers) add(name, value);
  if (length && response.status != 204 && response.status != 304) add("Content-Length", std::to_string(*length));
  if (is_chunked) add("Transfer-Encoding", "chunked");
  add("Connection", keeps_alive ? "keep-alive" : "close");
  return text + "\r\n";
}

std::string chunk(std::string_view part) {
  std::array<char, 16> size{};
  const auto end = std::to_chars(size.data(), size.data() + size.size(), part.size(), 16).ptr;
  std::string text(size.data(), end);
  return text.append("\r\n").append(part).append("\r\n");
}

std::string json_error(std::string_view text) { return to_text({{"error", text}}); }

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      const auto high = i + 2 < text.size() ? hex_digit(text[i + 1]) : std::nullopt;
      const auto low = high ? hex_digit(text[i + 2]) : std::nullopt;
      if (!low) return std::nullopt;
      decoded += static_cast<char>(*high * 16 + *low);
      i += 2;
    } else {
      decoded += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return decoded;
}

std::string request_id(std::string_view given) {
  constexpr std::size_t kMaxSize = 128;
  const auto is_plain = [](char c) { return c > ' ' && c < 0x7F; };
  if (!given.empty() && given.size() <= kMaxSize && std::ranges::all_of(given, is_plain)) return std::string(given);
  return random_digits(8);
}

std::string_view trace_id(std::string_view traceparent) {
  // version "-" trace-id "-" parent-id "-" flags; later versions may add to it.
  const auto parts = split_text(traceparent, '-');
  const auto is_hex = [](std::string_view text, std::size_t size) {
    return text.size() == size && text.find_first_not_of("0123456789abcdef") == text.npos;
  };
  if (parts.size() < 4 || !is_hex(parts[0], 2) || parts[0] == "ff" || (parts[0] == "00" && parts.size() > 4)) return {};
  const bool is_valid = is_hex(parts[1], 32) && is_hex(parts[2], 16) && is_hex(parts[3], 2) &&
                        parts[1].find_first_not_of('0') != parts[1].npos &&
                        parts[2].find_first_not_of('0') != parts[2].npos;
  return is_valid ? parts[1] : std::string_view();
}

bool has_left(int socket) {
  pollfd state{.fd = socket, .events = POLLRDHUP, .revents = 0};
  return ::poll(&state, 1, 0) > 0 && (state.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

}  // namespace gloss
