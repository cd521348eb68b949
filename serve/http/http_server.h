#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http/exchange.h"
#include "serve/http/http_message.h"

namespace gloss {

/// Limits of connections. What goes beyond is answered, if it can be, and the connection is closed.
struct HttpLimits {
  std::uint32_t header_bytes = 16 << 10;
  std::size_t connections = 4096;        ///< at a time
  std::uint64_t body_bytes = 256 << 20;  ///< of the bodies that are read or answered; one alone may be longer
  std::chrono::seconds request{10};      ///< from the first byte of a request to the end of its header
  std::chrono::seconds body{60};         ///< from there to the end of the body
  std::chrono::seconds idle{60};         ///< without a byte, between requests
  std::chrono::seconds write{30};        ///< without a byte that the client takes
};

struct HttpServerSettings {
  std::vector<std::string> listen;                 ///< "127.0.0.1:5000", "[::1]:0" (any free port), "localhost:5000"
  std::string certificate = {}, private_key = {};  ///< PEM files: TLS; both empty: none
  HttpLimits limits = {};
};

/// Functions that deal with requests. They run on the thread of the network and must not wait.
struct HttpHandlers {
  /// Gets a request whose body has not been read. Returns an answer to refuse it.
  std::function<std::optional<HttpResponse>(const HttpRequest& head)> refusal;
  /// Returns fields that every answer to a request gets; empty: none.
  std::function<HeaderFields(const HttpRequest& head)> fields = {};
  /// Returns the greatest size of its body, in bytes.
  std::function<std::uint64_t(const HttpRequest& head)> body_limit;
  /// Returns the answer for a request that the network refuses; empty: an object with `error`. Of a faulty request
  /// `head` has the path at most.
  std::function<HttpResponse(const HttpRequest& head, int status, std::string_view message)> error = {};
  /// Answers a request, at once or later.
  std::function<void(std::shared_ptr<Exchange>)> answer;
  /// Gets the outcome of a request: of one that `refusal` refused, too. Status 499: the client left first.
  struct Outcome {
    int status = 0;
    std::uint64_t bytes_received = 0;  ///< of the body
    std::uint64_t bytes_sent = 0;      ///< of the body
    std::chrono::steady_clock::duration time{};
  };
  std::function<void(const HttpRequest& request, const Outcome& outcome)> done;
};

/// A server of HTTP/1.1 on one thread. Keeps connections alive, reads requests one after the other on each, and
/// notices when a client that waits for its answer leaves.
class HttpServer {
 public:
  /// Opens the sockets. Throws UsageError for an address that is none, IoError if one cannot be had, and for TLS files.
  HttpServer(const HttpServerSettings& settings, HttpHandlers handlers);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  /// Returns the addresses it listens to: "127.0.0.1:5000".
  std::vector<std::string> addresses() const;
  /// Serves until `drain` has finished or `stop` is called.
  void run();
  /// Takes the connections that wait, then no others; closes those that are idle, the others after their answer. `run`
  /// returns when all are closed. Any thread may call it.
  void drain();
  /// Ends at once.
  void stop();
  /// Reads the files of TLS again, for connections to come. Throws IoError.
  void reload_certificate();
  std::size_t connections() const;

  class State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace gloss
