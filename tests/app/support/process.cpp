#include "tests/app/support/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/terminal.h"

namespace gloss {
namespace {

struct Pipe {
  int read_end, write_end;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  return {ends[0], ends[1]};
}

/// Makes a pseudo-terminal: text written to the write end is typed at the other end.
Pipe make_terminal() {
  const auto terminal = open_terminal();
  if (!terminal) throw std::runtime_error("no terminal");
  return {terminal->inside, terminal->outside};
}

void close_and_forget(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

/// Takes what is there; forgets the descriptor at its end.
void take(int& descriptor, std::string& text) {
  std::array<char, 1 << 16> buffer;
  const auto got = ::read(descriptor, buffer.data(), buffer.size());
  if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
  if (got == 0) close_and_forget(descriptor);
}

void set_variable(const std::string& name, const std::optional<std::string>& value) {
  if (value) {
    ::setenv(name.c_str(), value->c_str(), 1);
  } else {
    ::unsetenv(name.c_str());
  }
}

}  // namespace

Process::Process(const Arguments& arguments, const Streams& streams) {
  std::signal(SIGPIPE, SIG_IGN);
  ::setenv("OMP_WAIT_POLICY", "passive", 1);  // threads that wait leave the processor to tests that run beside
  const auto in = streams.terminal_in ? make_terminal() : make_pipe(), out = make_pipe(), err = make_pipe();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.read_end, STDIN_FILENO);
  if (streams.closed_out)
    posix_spawn_file_actions_addclose(&actions, STDOUT_FILENO);
  else
    posix_spawn_file_actions_adddup2(&actions, out.write_end, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write_end, STDERR_FILENO);
  posix_spawnattr_t attributes;  // the program itself has to see to broken pipes
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);

  std::vector<std::string> words = streams.launcher;
  words.push_back(words.empty() ? "gloss" : GLOSS_PROGRAM);
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int error = ::posix_spawnp(&pid_, streams.launcher.empty() ? GLOSS_PROGRAM : argv.front(), &actions,
                                   &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  for (const int end : {in.read_end, out.write_end, err.write_end}) ::close(end);
  in_ = in.write_end, out_ = out.read_end, err_ = err.read_end;
  ::fcntl(in_, F_SETFL, O_NONBLOCK);
  if (error != 0) throw std::runtime_error(std::string(GLOSS_PROGRAM) + ": cannot start");
}

Process::~Process() {
  if (!ended_) {
    ::kill(pid_, SIGKILL);
    reap(0);
  }
  for (int* descriptor : {&in_, &out_, &err_}) close_and_forget(*descriptor);
}

void Process::write(std::string_view text) {
  to_write_ += text;
  while (!to_write_.empty() && in_ >= 0) pump();
}

void Process::close_input() {
  close_when_written_ = true;
  if (to_write_.empty()) close_and_forget(in_);
}

void Process::close_output() { close_and_forget(out_); }

std::string Process::read_line() {
  const auto& out = outcome_.out;
  while (out.find('\n', lines_read_until_) == out.npos && out_ >= 0) pump();
  const auto begin = std::exchange(lines_read_until_, std::min(out.find('\n', lines_read_until_), out.size() - 1) + 1);
  return out.substr(begin, lines_read_until_ - begin);
}

void Process::wait_for_error(std::string_view text) {
  while (outcome_.err.find(text) == outcome_.err.npos && err_ >= 0) pump();
}

void Process::wait_until_read() {
  for (int bytes = 1; running() && ::ioctl(in_, FIONREAD, &bytes) == 0 && bytes > 0;)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void Process::signal(int number) {
  if (running()) ::kill(pid_, number);
}

bool Process::running() {
  if (!ended_) reap(WNOHANG);
  return !ended_;
}

Outcome Process::wait() {
  close_input();
  while (out_ >= 0 || err_ >= 0) pump();
  if (!ended_) reap(0);
  return outcome_;
}

/// Waits for a stream that is ready and moves what can be moved.
void Process::pump() {
  std::array<pollfd, 3> streams{{{to_write_.empty() ? -1 : in_, POLLOUT, 0}, {out_, POLLIN, 0}, {err_, POLLIN, 0}}};
  ::poll(streams.data(), streams.size(), 100);
  if (streams[0].revents != 0) {
    const auto written = ::write(in_, to_write_.data(), to_write_.size());
    if (written > 0) to_write_.erase(0, static_cast<std::size_t>(written));
    if ((written < 0 && errno != EAGAIN) || (to_write_.empty() && close_when_written_)) close_and_forget(in_);
  }
  if (streams[1].revents != 0) take(out_, outcome_.out);
  if (streams[2].revents != 0) take(err_, outcome_.err);
  if (std::chrono::steady_clock::now() > deadline_) {
    ::kill(pid_, SIGKILL);
    throw std::runtime_error("gloss did not end; it said: " + outcome_.err);
  }
}

void Process::reap(int options) {
  int status = 0;
  rusage usage{};
  if (::wait4(pid_, &status, options, &usage) != pid_) return;
  outcome_.peak_kib = usage.ru_maxrss;
  ended_ = true;
  outcome_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

EnvironmentVariable::EnvironmentVariable(std::string name, const std::optional<std::string>& value)
    : name_(std::move(name)) {
  if (const char* before = std::getenv(name_.c_str())) before_ = before;
  set_variable(name_, value);
}

EnvironmentVariable::~EnvironmentVariable() { set_variable(name_, before_); }

Outcome run_gloss(const Arguments& arguments, std::string_view input) {
  Process process(arguments);
  process.write(input);
  return process.wait();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace gloss
