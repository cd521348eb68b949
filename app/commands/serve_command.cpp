#include <csignal>
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
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) ::sigaddset(&signals_, signal);
    ::pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  int wait() const {
    int signal = 0;
    ::sigwait(&signals_, &signal);
    return signal;
  }

 private:
  sigset_t signals_, before_;
};

/// While an object lives, SIGTERM and SIGINT drain a server, a second one ends it at once, and SIGHUP lets it read its
/// files again.
class ServerSignals {
 public:
  ServerSignals(const BlockedSignals& signals, Server& server)
      : thread_([&signals, &server] {
          bool drains = false;
          for (int signal = signals.wait(); signal != SIGUSR1; signal = signals.wait()) {
            if (signal == SIGHUP) {
              server.reload();
              continue;
            }
            if (drains) ::_exit(static_cast<int>(signal == SIGINT ? ExitCode::kInterrupted : ExitCode::kTerminated));
            drains = true;
            log_info("draining: what runs is answered, nothing else is taken");
            server.drain();
          }
        }) {}
  ServerSignals(const ServerSignals&) = delete;
  ServerSignals& operator=(const ServerSignals&) = delete;
  ~ServerSignals() {
    ::pthread_kill(thread_.native_handle(), SIGUSR1);
    thread_.join();
  }

 private:
  std::thread thread_;
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
  name_by_option(names, [&] {
    Server server(std::move(config));
    for (const auto& address : server.addresses()) log_info("listening to " + address);
    const ServerSignals passed(signals, server);
    server.run();
  });
  return ExitCode::kDone;
}

}  // namespace gloss
