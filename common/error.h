#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gloss {

/// Exit codes of the program.
enum class ExitCode : int {
  kDone = 0,
  kFault = 1,     ///< a defect of gloss
  kUsage = 2,     ///< command line or configuration
  kData = 3,      ///< bad data or model file, or a file named in the configuration is missing
  kIo = 4,        ///< cannot read or write
  kLocked = 5,    ///< another run holds the folder
  kDiverged = 6,  ///< the loss is NaN or infinite
  kOutOfMemory = 7,
  kLostProcess = 8,    ///< another process of the run was lost
  kInterrupted = 130,  ///< stopped by SIGINT after saving
  kTerminated = 143,   ///< stopped by SIGTERM or SIGHUP after saving
};

/// Base of every error that gloss reports. The message is one line: where, what was wanted, what was found and what to
/// do. app/report_failure.h prints it; the program exits with `exit_code()`.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode exit_code() const { return code_; }

 private:
  ExitCode code_;
};

/// The dotted name of a setting within a message.
struct Key {
  std::string name;
};

/// A message in which names of settings are separate parts, so that the app can replace them by the option that the
/// user typed.
using Message = std::vector<std::variant<std::string, Key>>;

/// Concatenates the parts.
inline std::string text_of(const Message& message) {
  std::string text;
  for (const auto& part : message)
    text += std::holds_alternative<Key>(part) ? std::get<Key>(part).name : std::get<std::string>(part);
  return text;
}

/// A wrong command line or configuration.
struct UsageError final : Error {
  explicit UsageError(const std::string& text) : UsageError(Message{text}) {}
  explicit UsageError(Message parts) : Error(ExitCode::kUsage, text_of(parts)), message(std::move(parts)) {}

  Message message;  ///< what() in parts
};

/// Text or a corpus that cannot be used, or a missing file named in the configuration.
struct DataError final : Error {
  explicit DataError(const std::string& message) : Error(ExitCode::kData, message) {}
};

/// A model or checkpoint file that is damaged or does not fit.
struct ModelError final : Error {
  explicit ModelError(const std::string& message) : Error(ExitCode::kData, message) {}
};

/// The operating system failed to read or write.
struct IoError final : Error {
  explicit IoError(const std::string& message) : Error(ExitCode::kIo, message) {}
};

/// Another process of the run does not answer any more.
struct LostProcessError final : Error {
  explicit LostProcessError(const std::string& message) : Error(ExitCode::kLostProcess, message) {}
};

/// An error of a run of several processes that process 0 reports.
struct ReportedError final : Error {
  explicit ReportedError(ExitCode code) : Error(code, "process 0 reports the error") {}
};

/// The lock of a run folder is held by another process.
struct LockedError final : Error {
  explicit LockedError(const std::string& message) : Error(ExitCode::kLocked, message) {}
};

/// The training loss became NaN or infinite.
struct DivergedError final : Error {
  explicit DivergedError(const std::string& message) : Error(ExitCode::kDiverged, message) {}
};

/// The host or the device ran out of memory.
struct OutOfMemoryError final : Error {
  explicit OutOfMemoryError(const std::string& message) : Error(ExitCode::kOutOfMemory, message) {}
};

/// A tensor with a wrong shape was passed to a public function: a defect of the caller.
struct ShapeError final : Error {
  explicit ShapeError(const std::string& message) : Error(ExitCode::kFault, message) {}
};

}  // namespace gloss
