#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include "common/config/json.h"
#include "common/files/sha256.h"
#include "serve/http/http_message.h"
#include "serve/server.h"

namespace gloss {

/// A server with the tiny model as one from English into German, which runs as long as the object.
class TestServer {
 public:
  explicit TestServer(const std::function<void(ServeConfig&)>& change = {}) : server_(config(change)) {
    const auto address = server_.addresses().front();
    port_ = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
    thread_ = std::thread([this] { server_.run(); });
  }
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;
  ~TestServer() {
    server_.drain();
    thread_.join();
  }

  struct Answer {
    int status = 0;
    std::string type, body;

    Json json() const { return parse_json(body); }
  };
  /// Sends a request on a connection of its own, with the type of a body that is a form, or else JSON.
  Answer send(const std::string& method, const std::string& target, const std::string& body = {},
              const HeaderFields& headers = {}) const {
    namespace http = boost::beast::http;
    using boost::asio::ip::tcp;
    boost::asio::io_context network;
    tcp::socket socket(network);
    socket.connect({boost::asio::ip::address_v4::loopback(), port_});
    http::request<http::string_body> request(http::string_to_verb(method), target, 11);
    request.set(http::field::host, "localhost");
    request.set(http::field::content_type,
                body.starts_with('{') ? "application/json" : "application/x-www-form-urlencoded");
    for (const auto& [name, value] : headers) request.set(name, value);
    request.body() = body;
    request.prepare_payload();
    http::write(socket, request);
    boost::beast::flat_buffer buffer;
    http::response_parser<http::string_body> parser;
    if (method == "HEAD") parser.skip(true);
    http::read(socket, buffer, parser);
    const auto& response = parser.get();
    const auto type = response[http::field::content_type];
    return {static_cast<int>(response.result_int()), std::string(type.data(), type.size()), response.body()};
  }

 private:
  static ServeConfig config(const std::function<void(ServeConfig&)>& change) {
    ServeConfig config;
    config.settings.listen = "127.0.0.1:0";
    config.models = {{"en", "de", GLOSS_GOLDEN_FOLDER "/tiny_model.safetensors"}};
    if (change) change(config);
    return config;
  }

  Server server_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

/// Returns the line of a file of keys.
inline std::string key_line(std::string_view key, std::string_view limits = {}) {
  return sha256(key) + ' ' + std::string(key) + ' ' + std::string(limits) + '\n';
}

}  // namespace gloss
