#include "pipeline/local_processes.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/files/atomic_file.h"
#include "common/log.h"
#include "common/system/signals.h"
#include "training/processes/process_group.h"

namespace gloss {
namespace {

// Longer than Heartbeat takes to find a process that does not answer.
constexpr std::chrono::seconds kToEnd{40};
constexpr std::chrono::milliseconds kLookEvery{50};

/// A process that was started.
struct Child {
  pid_t pid;
  std::optional<int> status = {};  ///< of waitpid, once it has ended
};

/// The arguments of this process.
std::vector<std::string> own_arguments() {
  std::vector<std::string> arguments(1);
  for (const char c : read_file("/proc/self/cmdline", std::size_t{1} << 24)) {
    if (c == '\0')
      arguments.emplace_back();
    else
      arguments.back() += c;
  }
  arguments.pop_back();
  return arguments;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (auto& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// The environment of this process with other values of some variables.
std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const auto is_replaced = [&](const auto& variable) { return text.starts_with(variable.first + '='); };
    if (std::ranges::none_of(variables, is_replaced)) environment.push_back(text);
  }
  for (const auto& [name, value] : variables) environment.push_back(name + '=' + value);
  return environment;
}

/// Starts a process in a group of its own, so that Ctrl-C reaches it only through this one.
Child start(std::int64_t rank, std::int64_t count, std::uint16_t port) {
  const auto number = std::to_string(rank), size = std::to_string(count);
  auto environment = environment_with({{"RANK", number},
                                       {"LOCAL_RANK", number},
                                       {"WORLD_SIZE", size},
                                       {"LOCAL_WORLD_SIZE", size},
                                       {"MASTER_ADDR", "127.0.0.1"},
                                       {"MASTER_PORT", std::to_string(port)},
                                       {"TORCHELASTIC_USE_AGENT_STORE", "True"}});
  auto arguments = own_arguments();
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, "/proc/self/exe", &actions, &attributes, pointers(arguments).data(),
                                  pointers(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (error != 0) throw IoError("process " + number + ": cannot be started: " + std::strerror(error));
  return {pid};
}

void send(const std::vector<Child>& children, int signal) {
  for (const auto& child : children)
    if (!child.status) ::kill(child.pid, signal);
}

/// Whether a process failed, or was killed, by itself.
bool failed(const Child& child) {
  return child.status && (!WIFEXITED(*child.status) || WEXITSTATUS(*child.status) != 0);
}

/// Waits until all have ended.
void wait_for(std::vector<Child>& children) {
  using Clock = std::chrono::steady_clock;
  bool stop_was_sent = false;
  std::optional<Clock::time_point> deadline;
  while (std::ranges::any_of(children, [](const Child& child) { return !child.status; })) {
    for (std::size_t rank = 0; rank < children.size(); ++rank) {
      auto& child = children[rank];
      int status = 0;
      if (child.status || ::waitpid(child.pid, &status, WNOHANG) != child.pid) continue;
      child.status = status;
      if (WIFSIGNALED(status))
        log_error("process " + std::to_string(rank) + " was ended by signal " + std::to_string(WTERMSIG(status)));
      if (failed(child) && !deadline) deadline = Clock::now() + kToEnd;
    }
    if (const auto code = stop_requested(); code && !std::exchange(stop_was_sent, true))
      send(children, *code == ExitCode::kInterrupted ? SIGINT : SIGTERM);
    if (deadline && Clock::now() > *deadline) send(children, SIGKILL);
    std::this_thread::sleep_for(kLookEvery);
  }
}

ExitCode code_of(const std::vector<Child>& children) {
  auto code = ExitCode::kDone;
  for (const auto& child : children) {
    if (!failed(child)) continue;
    const auto of_child =
        WIFEXITED(*child.status) ? static_cast<ExitCode>(WEXITSTATUS(*child.status)) : ExitCode::kLostProcess;
    if (code == ExitCode::kDone || code == ExitCode::kLostProcess) code = of_child;
  }
  return code;
}

}  // namespace

ExitCode run_local_processes(std::int64_t count) {
  const LocalStore store;
  std::vector<Child> children;
  try {
    for (std::int64_t rank = 0; rank < count; ++rank) children.push_back(start(rank, count, store.port()));
  } catch (...) {
    send(children, SIGKILL);
    wait_for(children);
    throw;
  }
  wait_for(children);
  return code_of(children);
}

}  // namespace gloss
