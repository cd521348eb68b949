#include "tests/app/support/terminal_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

namespace gloss {
namespace {

/// In the child, which calls nothing but what is safe between fork and exec.
void redirect(const char* file, int flags, int descriptor) {
  if (file == nullptr) return;
  const int opened = ::open(file, flags, 0666);
  if (opened < 0 || ::dup2(opened, descriptor) < 0) ::_exit(126);
}

/// In the child, too.
void stop_background() {
  termios settings{};
  if (::tcgetattr(STDIN_FILENO, &settings) != 0) ::_exit(126);
  settings.c_lflag |= TOSTOP;
  if (::tcsetattr(STDIN_FILENO, TCSANOW, &settings) != 0) ::_exit(126);
}

}  // namespace

TerminalProcess::TerminalProcess(const Arguments& arguments, const TerminalStreams& streams) {
  std::vector<std::string> words = {"gloss"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::vector<std::string> variables = {"OMP_WAIT_POLICY=passive", "TERM=xterm"};
  for (const auto& [name, value] : streams.environment) variables.push_back(name + '=' + value);
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    const auto name = text.substr(0, text.find('='));
    if (name != "OMP_WAIT_POLICY" && name != "TERM" && !streams.environment.contains(name)) variables.push_back(text);
  }
  if (streams.environment.contains("TERM")) variables.erase(variables.begin() + 1);
  std::vector<char*> environment;
  for (auto& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  const char* input = streams.input ? streams.input->c_str() : nullptr;
  const char* output = streams.output ? streams.output->c_str() : nullptr;

  const winsize size{.ws_row = 24, .ws_col = streams.columns, .ws_xpixel = 0, .ws_ypixel = 0};
  pid_ = ::forkpty(&terminal_, nullptr, nullptr, &size);
  if (pid_ < 0) throw std::runtime_error("no pseudo-terminal");
  if (pid_ == 0) {
    if (streams.stops_background) stop_background();
    redirect(input, O_RDONLY, STDIN_FILENO);
    redirect(output, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    ::execve(GLOSS_PROGRAM, argv.data(), environment.data());
    ::_exit(127);
  }
}

TerminalProcess::~TerminalProcess() {
  if (!exit_code_) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(terminal_);
}

void TerminalProcess::type(std::string_view keys) {
  while (!keys.empty()) {
    const auto written = ::write(terminal_, keys.data(), keys.size());
    if (written < 0 && errno != EINTR) throw std::runtime_error("gloss left the terminal; it said: " + shown_);
    if (written > 0) keys.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string TerminalProcess::wait_for(std::string_view text) {
  while (true) {
    if (const auto found = shown_.find(text, seen_); found != shown_.npos) {
      const auto begin = seen_;
      seen_ = found + text.size();
      return shown_.substr(begin, seen_ - begin);
    }
    if (!read_some()) throw std::runtime_error("not shown: " + std::string(text) + "; but: " + shown_);
  }
}

void TerminalProcess::wait_for_editing() {
  termios settings{};
  do {
    if (!read_some()) throw std::runtime_error("no line is edited; shown: " + shown_);
    if (::tcgetattr(terminal_, &settings) != 0) throw std::runtime_error("the terminal has no settings");
  } while ((settings.c_lflag & ICANON) != 0);
}

int TerminalProcess::wait() {
  while (read_some()) {
  }
  if (!exit_code_) {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  return *exit_code_;
}

/// False where nobody has the terminal open any more.
bool TerminalProcess::read_some() {
  if (std::chrono::steady_clock::now() > deadline_) throw std::runtime_error("gloss did not end; it said: " + shown_);
  pollfd ready{terminal_, POLLIN, 0};
  if (::poll(&ready, 1, 100) <= 0) return true;
  std::array<char, 4096> buffer;
  const auto got = ::read(terminal_, buffer.data(), buffer.size());
  if (got > 0) shown_.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && errno == EINTR);
}

}  // namespace gloss
