// A connection: the server reads any bytes as requests, and whatever it sends is answers of HTTP, none of them 5xx.

#include <array>
#include <csignal>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "common/system/descriptor.h"
#include "common/text/split.h"
#include "serve/http/http_server.h"
#include "tests/fuzz/fuzz_input.h"

namespace gloss {
namespace {

/// Starts a server that repeats bodies, which runs until the process ends, and returns its port.
std::uint16_t start_server() {
  auto* const server =
      new HttpServer({.listen = {"127.0.0.1:0"}}, {.refusal = [](const auto& head) -> std::optional<HttpResponse> {
                                                     if (head.path != "/refused") return std::nullopt;
                                                     return HttpResponse{.status = 403, .body = json_error("refused")};
                                                   },
                                                   .body_limit = [](const auto&) { return 1000; },
                                                   .answer =
                                                       [](const std::shared_ptr<Exchange>& exchange) {
                                                         const auto& request = exchange->request();
                                                         if (request.path != "/stream")
                                                           return exchange->respond({.body = request.body});
                                                         exchange->begin_stream({});
                                                         exchange->send_part(request.body);
                                                         exchange->end_stream();
                                                       },
                                                   .done = [](const auto&, const auto&) {}});
  std::thread([server] { server->run(); }).detach();
  ::siginterrupt(SIGALRM, 0);  // libFuzzer's timer would fail connect and recv
  const auto address = server->addresses().front();
  return *parse_number<std::uint16_t>(std::string_view(address).substr(address.rfind(':') + 1));
}

/// Sends bytes and the end of the connection, and returns what the server sends.
std::string answers(std::uint16_t port, std::string_view bytes) {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(port);
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  expect(::connect(socket.get(), reinterpret_cast<sockaddr*>(&place), sizeof place) == 0);
  for (std::size_t sent = 0; sent < bytes.size();) {
    const auto count = ::send(socket.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) break;
    sent += static_cast<std::size_t>(count);
  }
  ::shutdown(socket.get(), SHUT_WR);
  std::string received;
  std::array<char, 4096> part;
  for (ssize_t count; (count = ::recv(socket.get(), part.data(), part.size(), 0)) > 0;)
    received.append(part.data(), static_cast<std::size_t>(count));
  return received;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto port = start_server();
  const auto received = answers(port, input_text(data, size));
  std::string_view rest = received;
  while (!rest.empty()) {
    constexpr std::string_view kStatus = "HTTP/1.1 ";
    expect(rest.starts_with(kStatus) && std::string_view("1234").find(rest[kStatus.size()]) != rest.npos);
    const auto end = rest.find("\r\n\r\n");
    if (end == rest.npos) break;  // the connection was reset
    const auto head = rest.substr(0, end + 2);
    rest.remove_prefix(end + 4);
    constexpr std::string_view kLength = "Content-Length: ";
    const auto field = head.find(kLength);
    if (field == head.npos) {
      if (!head.starts_with("HTTP/1.1 100")) break;  // a stream
      continue;
    }
    const auto digits = head.substr(field + kLength.size());
    const auto length = parse_number<std::size_t>(digits.substr(0, digits.find('\r')));
    expect(length.has_value());
    if (!rest.starts_with(kStatus)) rest.remove_prefix(std::min(*length, rest.size()));  // HEAD has no body
  }
  return 0;
}

}  // namespace gloss
