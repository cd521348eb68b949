#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "common/config/json.h"
#include "serve/server.h"
#include "tests/serve/http_client.h"

namespace gloss {

inline const std::string kServedModel = GLOSS_GOLDEN_FOLDER "/tiny_model.safetensors";

/// A server with the tiny model, from xx to yy, in this process.
class ServerTest : public testing::Test {
 protected:
  void start(ServeSettings settings = {}) {
    if (settings.listen == ServeSettings{}.listen) settings.listen = "127.0.0.1:0";
    server_ = std::make_unique<Server>(ServeConfig{std::move(settings), {{"xx", "yy", kServedModel}}, {}});
    thread_ = std::thread([this] { server_->run(); });
  }
  void TearDown() override { stop(); }
  void stop() {
    if (!thread_.joinable()) return;
    server_->drain();
    thread_.join();
  }

  HttpClient client() { return HttpClient(server_->addresses().front()); }
  Answer post(const std::string& target, const Json& body, const std::string& headers = {}) {
    return client().post(target, to_text(body), "application/json", headers);
  }

  std::unique_ptr<Server> server_;
  std::thread thread_;
};

}  // namespace gloss
