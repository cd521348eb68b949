#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "tests/support/sanitizers.h"

namespace gloss {

using Arguments = std::vector<std::string>;

/// How a process ended and all that it wrote.
struct Outcome {
  int exit_code = 0;  ///< of a process that a signal ended: minus the signal's number
  std::string out, err;
  long peak_kib = 0;  ///< most memory that it held, but at least what the test held when it started
};

/// Streams of the program that differ from pipes.
struct Streams {
  bool terminal_in = false;                ///< a terminal in place of a pipe as stdin, which Ctrl-D ends: write("\x04")
  bool closed_out = false;                 ///< no stdout at all
  std::vector<std::string> launcher = {};  ///< a program, found in PATH, and its arguments, which starts gloss
};

/// Limit of a process of a test, below that of ctest for the test.
inline constexpr std::chrono::minutes kLongestProcess{kIsSanitized ? 14 : 5};

/// The gloss program at work, with its three streams in our hands. Killed where it lives longer than its owner, or
/// longer than kLongestProcess (then std::runtime_error).
class Process {
 public:
  explicit Process(const Arguments& arguments, const Streams& streams = {});
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void write(std::string_view text);
  void close_input();
  void close_output();                                        ///< nobody reads its stdout any more
  std::string read_line();                                    ///< of its stdout; empty where that has ended
  void wait_for_error(std::string_view text);                 ///< until its stderr has the text or has ended
  const std::string& errors() const { return outcome_.err; }  ///< what was read of its stderr until now
  void wait_until_read();                                     ///< until it has read all that was written
  void signal(int number);
  bool running();
  pid_t id() const { return pid_; }
  /// Closes its input, reads all that comes and waits for its end.
  Outcome wait();

 private:
  void pump();
  void reap(int options);

  std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::now() + kLongestProcess;
  pid_t pid_ = -1;
  bool ended_ = false;
  int in_ = -1, out_ = -1, err_ = -1;
  std::string to_write_;
  bool close_when_written_ = false;
  Outcome outcome_;
  std::size_t lines_read_until_ = 0;
};

/// A variable of the environment that has a value, or none, as long as this lives.
class EnvironmentVariable {
 public:
  EnvironmentVariable(std::string name, const std::optional<std::string>& value);
  ~EnvironmentVariable();
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

 private:
  std::string name_;
  std::optional<std::string> before_;
};

/// Runs gloss to its end.
Outcome run_gloss(const Arguments& arguments, std::string_view input = {});

/// The lines of a text, without their ends.
std::vector<std::string> lines_of(const std::string& text);

}  // namespace gloss
