#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/system/descriptor.h"
#include "serve/http/http_message.h"

namespace gloss {

/// An answer as a client reads it.
struct Answer {
  int status = 0;
  HeaderFields headers;  ///< names in small letters
  std::string body;      ///< without chunks

  std::string header(std::string_view name) const;
};

/// A connection to a server on this machine, which sends bytes as they are given.
class HttpClient {
 public:
  /// Connects to "127.0.0.1:5000". Fails the test if nobody listens.
  explicit HttpClient(const std::string& address);

  void send(std::string_view bytes);
  /// Sends a request with a Host, and a body if there is one.
  void request(const std::string& method, const std::string& target, const std::string& body = {},
               const std::string& headers = {});
  /// Reads the next answer, also 100 Continue; absent if the connection ended before it did. `has_body`: false for
  /// HEAD.
  std::optional<Answer> answer(bool has_body = true);
  /// Sends a request and reads its answer. Fails the test if there is none.
  Answer get(const std::string& target, const std::string& headers = {});
  Answer post(const std::string& target, const std::string& body, const std::string& type = "application/json",
              const std::string& headers = {});
  /// Returns whether the server has closed the connection, after at most some seconds.
  bool is_closed();
  void close() { socket_ = Descriptor(); }
  int descriptor() const { return socket_.get(); }

 private:
  bool fill();
  std::optional<std::string> take_line();
  std::optional<std::string> take(std::size_t count);

  Descriptor socket_;
  std::string buffer_;
};

}  // namespace gloss
