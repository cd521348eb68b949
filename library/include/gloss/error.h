#pragma once

#include <stdexcept>
#include <string>

namespace gloss {

/// Kind of a failure. The values are the exit codes of the program `gloss`.
enum class ErrorKind : int {
  kFault = 1,        ///< a fault of gloss
  kUsage = 2,        ///< an invalid setting or option, or a missing model file
  kModel = 3,        ///< a model file that is damaged, of a newer version, or not a model
  kIo = 4,           ///< the operating system refused to read
  kOutOfMemory = 7,  ///< on the host or on the device
};

/// Base of every exception that the library throws. The message is one line: the place, the expected and the actual
/// value, and the remedy.
class [[gnu::visibility("default")]] TranslatorError : public std::runtime_error {
 public:
  TranslatorError(ErrorKind kind, const std::string& message);
  TranslatorError(const TranslatorError&);
  ~TranslatorError() override;
  ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

/// ErrorKind::kUsage.
struct [[gnu::visibility("default")]] TranslatorUsageError final : TranslatorError{
  explicit TranslatorUsageError(const std::string& message) : TranslatorError(ErrorKind::kUsage, message){}
};

/// ErrorKind::kModel.
struct [[gnu::visibility("default")]] TranslatorModelError final : TranslatorError{
  explicit TranslatorModelError(const std::string& message) : TranslatorError(ErrorKind::kModel, message){}
};

/// ErrorKind::kIo.
struct [[gnu::visibility("default")]] TranslatorIoError final : TranslatorError{
  explicit TranslatorIoError(const std::string& message) : TranslatorError(ErrorKind::kIo, message){}
};

/// ErrorKind::kOutOfMemory. The Translator remains usable; use smaller batches.
struct [[gnu::visibility("default")]] TranslatorMemoryError final : TranslatorError{
  explicit TranslatorMemoryError(const std::string& message) : TranslatorError(ErrorKind::kOutOfMemory, message){}
};

}  // namespace gloss
