#include <algorithm>
#include <atomic>
#include <csignal>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app/commands/commands.h"
#include "app/commands/set_up.h"
#include "app/options/serve_options.h"
#include "common/error.h"
#include "common/files/same_file.h"
#include "common/log/log.h"
#include "serve/server.h"

namespace gloss {
namespace {

/// Blocks the signals of a server in this thread and those that it starts, so that one thread can wait for them.
class BlockedSignals {
 public:
  BlockedSignals() {
    ::sigemptyset(&signals_);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&signals_, signal);
    ::pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  /// Returns the next signal; 0 if none comes for a short time.
  int wait() const {
    constexpr timespec kTime{.tv_sec = 0, .tv_nsec = 50'000'000};
    return std::max(0, ::sigtimedwait(&signals_, nullptr, &kTime));
  }

 private:
  sigset_t signals_, before_;
};

/// While an object lives, SIGTERM and SIGINT drain the server, or end the program while it has none yet, a second one
/// ends it at once, and SIGHUP lets the server read its files again.
class ServerSignals {
 public:
  explicit ServerSignals(const BlockedSignals& signals)
      : thread_([this, &signals](const std::stop_token& stop) {
          while (!stop.stop_requested()) take(signals.wait());
        }) {}

  /// `server` must outlive this object.
  void set_server(Server& server) { server_ = &server; }

 private:
  void take(int signal) {
    auto* const server = server_.load();
    if (signal == SIGHUP && server != nullptr && wanted_reloads_++ == 0) {
      reloads_ = std::jthread([this, server] {
        for (int wanted = 1; wanted > 0; wanted = (wanted_reloads_ -= wanted)) reload(*server);
      });
    } else if (signal == SIGTERM || signal == SIGINT) {
      if (server == nullptr || drains_)
        ::_exit(static_cast<int>(signal == SIGINT ? ExitCode::kInterrupted : ExitCode::kTerminated));
      drains_ = true;
      log_info("draining: what runs is answered, nothing else is taken");
      server->drain();
    }
  }
  static void reload(Server& server) {
    try {
      reopen_log();
    } catch (const Error& error) {
      log_error(error.what());
    }
    server.reload();
  }

  std::atomic<Server*> server_ = nullptr;
  bool drains_ = false;
  std::atomic<int> wanted_reloads_ = 0;
  std::jthread reloads_, thread_;
};

/// Raises the number of files that may be open to the hard limit: each connection is one.
void raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

ExitCode run(const ServeOptions& options) {
  const BlockedSignals signals;
  std::optional<Server> server;
  ServerSignals passed(signals);
  raise_file_limit();
  ServeConfig config;
  std::vector<NamedFile> inputs;
  name_by_option({{"model", "--model"}}, [&] {
    for (const auto& text : options.models) config.models.push_back(parse_model_source(text));
  });
  for (const auto& model : config.models) inputs.push_back({"--model", model_path(model.path)});
  if (options.config) inputs.push_back({"--config", *options.config});
  const auto machine = set_up(options.common, {inputs});
  if (options.config) {
    expect_input_file("--config", *options.config);
    config.settings = read_serve_settings(*options.config);
  }
  config.settings = options.settings.over(serve_settings(), config.settings);
  config.serving = {
      .precision = options.precision, .plain = options.plain, .device = machine.device, .threads = machine.threads};
  auto names = options.settings.names();
  names["model"] = "--model";
  drop_late_lines();
  name_by_option(names, [&] { server.emplace(std::move(config)); });
  passed.set_server(*server);
  for (const auto& address : server->addresses()) log_info("listening to " + address);
  server->run();
  return ExitCode::kDone;
}

}  // namespace gloss
