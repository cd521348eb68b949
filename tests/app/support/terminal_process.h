#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "tests/app/support/process.h"

namespace gloss {

/// Files that replace the terminal as streams of gloss, and the terminal's width.
struct TerminalStreams {
  std::optional<std::string> input = {}, output = {};  ///< files
  unsigned short columns = 80;
  bool stops_background = false;  ///< a process group in the background that writes is stopped, as by `stty tostop`
  std::map<std::string, std::string> environment = {};  ///< beside the test's own
};

/// The gloss program with a pseudo-terminal of its own as its controlling terminal. Killed where it lives longer than
/// its owner, or longer than kLongestProcess (then std::runtime_error).
class TerminalProcess {
 public:
  explicit TerminalProcess(const Arguments& arguments, const TerminalStreams& streams = {});
  ~TerminalProcess();
  TerminalProcess(const TerminalProcess&) = delete;
  TerminalProcess& operator=(const TerminalProcess&) = delete;

  void type(std::string_view keys);
  /// Waits until `text` has come after what earlier calls waited for, and returns what came since then.
  std::string wait_for(std::string_view text);
  /// Waits until keys are read one by one. libedit shows its prompt before: what is typed between is edited by the
  /// terminal, which rubs out bytes in place of characters.
  void wait_for_editing();
  /// Waits for the end and returns the exit code, or minus the number of a signal that ended it.
  int wait();
  /// All that the terminal has shown.
  const std::string& shown() const { return shown_; }

 private:
  bool read_some();

  std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::now() + kLongestProcess;
  pid_t pid_ = -1;
  int terminal_ = -1;
  std::string shown_;
  std::size_t seen_ = 0;
  std::optional<int> exit_code_;
};

}  // namespace gloss
