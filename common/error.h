#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gloss {

/// What a process says to the one that started it.
enum class ExitCode : int {
  kDone = 0,
  kFault = 1,     ///< a fault of ours
  kUsage = 2,     ///< command line or configuration
  kData = 3,      ///< bad data or model file, or a file named in the configuration is missing
  kIo = 4,        ///< cannot read or write
  kLocked = 5,    ///< another run holds the folder
  kDiverged = 6,  ///< the loss is no longer a number
  kOutOfMemory = 7,
  kInterrupted = 130,  ///< stopped by SIGINT after saving
  kTerminated = 143,   ///< stopped by SIGTERM or SIGHUP after saving
};

/// Base of every error that gloss reports. The message is one line that says where, what was wanted, what was found and
/// what to do; app/main.cpp prints it and exits with `exit_code()`.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode exit_code() const { return code_; }

 private:
  ExitCode code_;
};

/// The dotted name of a setting, where a message speaks of it.
struct Key {
  std::string name;
};

/// A message that keeps apart what is the name of a setting, so that the app can put the option that was typed there.
using Message = std::vector<std::variant<std::string, Key>>;

/// The parts one after the other.
inline std::string text_of(const Message& message) {
  std::string text;
  for (const auto& part : message)
    text += std::holds_alternative<Key>(part) ? std::get<Key>(part).name : std::get<std::string>(part);
  return text;
}

/// A mistake in the command line or in the configuration.
struct UsageError final : Error {
  explicit UsageError(const std::string& text) : UsageError(Message{text}) {}
  explicit UsageError(Message parts) : Error(ExitCode::kUsage, text_of(parts)), message(std::move(parts)) {}

  Message message;  ///< what() in parts
};

/// Text or a corpus that cannot be used, or a file named in the configuration that is not there.
struct DataError final : Error {
  explicit DataError(const std::string& message) : Error(ExitCode::kData, message) {}
};

/// A model or checkpoint file that cannot be trusted or does not fit.
struct ModelError final : Error {
  explicit ModelError(const std::string& message) : Error(ExitCode::kData, message) {}
};

/// The operating system refused to read or write.
struct IoError final : Error {
  explicit IoError(const std::string& message) : Error(ExitCode::kIo, message) {}
};

/// Another process holds the lock of a run folder.
struct LockedError final : Error {
  explicit LockedError(const std::string& message) : Error(ExitCode::kLocked, message) {}
};

/// Training left the numbers behind.
struct DivergedError final : Error {
  explicit DivergedError(const std::string& message) : Error(ExitCode::kDiverged, message) {}
};

/// Memory ran out, on the host or on the device.
struct OutOfMemoryError final : Error {
  explicit OutOfMemoryError(const std::string& message) : Error(ExitCode::kOutOfMemory, message) {}
};

/// A tensor of another shape than a public function asks for: a fault of the caller.
struct ShapeError final : Error {
  explicit ShapeError(const std::string& message) : Error(ExitCode::kFault, message) {}
};

}  // namespace gloss
