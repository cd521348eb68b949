#include "run/run_processes.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <ATen/Version.h>
#include <c10/core/DeviceType.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <torch/version.h>
#include <unistd.h>

#include "common/files/atomic_file.h"
#include "common/log/log.h"
#include "common/system/process_place.h"
#include "common/system/signals.h"
#include "common/version.h"
#include "kernels/kernel_table.h"
#include "training/agreement.h"
#include "training/processes/process_group.h"

namespace gloss {
namespace {

/// Returns the settings of a run and the program, on which the numbers depend. Paths may differ between machines.
Json start_of(const RunConfig& config, at::Device device) {
  auto without_paths = config;
  for (const auto& [key, path] : path_keys(without_paths))
    if (!path->empty()) *path = "a file";
  auto settings = to_json(without_paths);
  return {{"program", std::string(kVersion)},
          {"libtorch", TORCH_VERSION + ('\n' + at::show_config())},
          {"processor", kernels::name_of(kernels::active_instruction_set()) + ", " + at::get_cpu_capability()},
          {"device", c10::DeviceTypeName(device.type(), /*lower_case=*/true)},
          {"plain", config.plain},
          {"settings", std::move(settings)}};
}

// Time after the first failure in which the others end by themselves. After it the failed process is marked as lost.
constexpr std::chrono::seconds kToNotice{3};
// Time after the first failure after which the others are killed. All that are not stopped themselves end before.
constexpr std::chrono::seconds kToEnd{8};
// Limit after the first process that a signal has stopped. Before its first update it may be in the middle of work.
constexpr std::chrono::seconds kToStop{40};
constexpr std::chrono::milliseconds kLookEvery{50};

// Environment variable with the process id of the starter.
constexpr const char* kStarter = "GLOSS_STARTER";

/// A process that was started.
struct Child {
  pid_t pid;
  std::optional<int> status = {};  ///< of waitpid, once it has ended
};

/// Returns the arguments of this process. Throws IoError without /proc.
std::vector<std::string> own_arguments() {
  if (::access("/proc/self/exe", X_OK) != 0)
    throw IoError("--processes: wanted /proc to start this program again, got none; mount it, or use torchrun");
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

/// Returns the environment of this process with other values of some variables.
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
                                       {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                                       {"TORCHELASTIC_RUN_ID", LocalStore::kJob},
                                       {"TORCHELASTIC_RESTART_COUNT", "0"},
                                       {kStarter, std::to_string(::getpid())}});
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

/// Returns the exit code of a process that has ended. If a signal ended it, the code is that of a stop if `stop` was
/// passed on, since the process may not have had a handler yet, otherwise kLostProcess.
ExitCode code_of(const Child& child, std::optional<ExitCode> stop) {
  if (WIFEXITED(*child.status)) return static_cast<ExitCode>(WEXITSTATUS(*child.status));
  const int signal = WTERMSIG(*child.status);
  return stop && (signal == SIGINT || signal == SIGTERM) ? *stop : ExitCode::kLostProcess;
}

bool is_stop(ExitCode code) { return code == ExitCode::kInterrupted || code == ExitCode::kTerminated; }

/// Waits until all have ended. Returns the stop that was passed on to them.
std::optional<ExitCode> wait_for(std::vector<Child>& children, LocalStore& store) {
  using Clock = std::chrono::steady_clock;
  std::optional<ExitCode> stop;
  std::optional<Clock::time_point> ended_at, failed_at;  // the first
  std::size_t first_failed = 0;
  bool told = false;  // the failed process is marked as lost

  while (std::ranges::any_of(children, [](const Child& child) { return !child.status; })) {
    for (std::size_t rank = 0; rank < children.size(); ++rank) {
      auto& child = children[rank];
      int status = 0;
      if (child.status || ::waitpid(child.pid, &status, WNOHANG) != child.pid) continue;
      child.status = status;
      const auto code = code_of(child, stop);
      if (WIFSIGNALED(status) && code == ExitCode::kLostProcess)
        log_error("process " + std::to_string(rank) + " was ended by signal " + std::to_string(WTERMSIG(status)));
      if (code == ExitCode::kDone) continue;
      ended_at = ended_at.value_or(Clock::now());
      if (is_stop(code) || failed_at) continue;
      failed_at = Clock::now();
      first_failed = rank;
    }
    if (failed_at && Clock::now() > *failed_at + kToNotice && !std::exchange(told, true))
      store.mark_lost(static_cast<std::int64_t>(first_failed));
    if (const auto code = stop_requested(); code && !stop) {
      stop = code;
      send(children, *code == ExitCode::kInterrupted ? SIGINT : SIGTERM);
    }
    if ((failed_at && Clock::now() > *failed_at + kToEnd) || (ended_at && Clock::now() > *ended_at + kToStop))
      send(children, SIGKILL);
    std::this_thread::sleep_for(kLookEvery);
  }
  return stop;
}

}  // namespace

void RunProcesses::begin(const RunConfig& config, at::Device device) {
  expect_equal_start(*exchange_, start_of(config, device));
  others_wait_ = exchange_->is_first() && !exchange_->is_alone();
  if (exchange_->is_first()) return;
  if (const auto code = code_of_first(ExitCode::kDone); code != ExitCode::kDone) throw ReportedError(code);
}

void RunProcesses::release(ExitCode code) {
  if (std::exchange(others_wait_, false)) code_of_first(code);
}

void RunProcesses::fail(const Error& fault) {
  release(fault.exit_code());
  if (fault.exit_code() == ExitCode::kDiverged && !exchange_->is_first()) throw ReportedError(fault.exit_code());
}

ExitCode RunProcesses::code_of_first(ExitCode code) {
  return agree(*exchange_, code == ExitCode::kDone ? std::nullopt : std::optional(code), 0).stop.value_or(code);
}

ExitCode run_local_processes(std::int64_t count) {
  ::signal(SIGCHLD, SIG_DFL);  // inherited as ignored, it would hide the ends of the processes
  ::signal(SIGTSTP, SIG_IGN);  // suspended alone, this process would look lost to the others
  ::signal(SIGTTOU, SIG_IGN);  // else `stty tostop` would stop the processes, whose groups are in the background
  LocalStore store(count);
  std::vector<Child> children;
  try {
    for (std::int64_t rank = 0; rank < count; ++rank) children.push_back(start(rank, count, store.port()));
  } catch (...) {
    send(children, SIGKILL);
    wait_for(children, store);
    throw;
  }
  const auto stop = wait_for(children, store);
  auto code = ExitCode::kDone;
  for (const auto& child : children) {
    const auto of_child = code_of(child, stop);
    if (of_child != ExitCode::kDone && (code == ExitCode::kDone || code == ExitCode::kLostProcess)) code = of_child;
  }
  return code;
}

void follow_starter() {
  const auto starter = environment_variable(kStarter);
  if (!starter) return;
  const auto pid = std::atoi(starter->c_str());
  expect_passed_signals(pid);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != pid) ::raise(SIGTERM);  // the starter ended before that call
}

}  // namespace gloss
