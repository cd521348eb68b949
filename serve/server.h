#pragma once

#include <memory>
#include <string>
#include <vector>

#include "serve/service/serve_config.h"

namespace gloss {

/// A translation server: LibreTranslate's and DeepL's interfaces over the models of a configuration.
class Server {
 public:
  /// Loads models and keys and opens the sockets. Throws UsageError, among others if an address of other machines is
  /// to be served without keys and without `no_auth`; and as ServedModels, ApiKeys, HttpServer.
  explicit Server(ServeConfig config);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  std::vector<std::string> addresses() const;
  /// Serves until `drain` or `stop`.
  void run();
  /// Takes no more connections, and lets `run` return when all requests are answered, or the time for it has passed.
  /// Any thread may call it.
  void drain();
  /// Reads models, keys and certificate again. Requests that run keep theirs. A file that is faulty changes nothing;
  /// the log says so. Any thread may call it.
  void reload();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace gloss
