#include "library/public_errors.h"

#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>

#include <c10/util/Exception.h>
#include <gloss/error.h>

#include "common/error.h"
#include "common/text/printable.h"
#include "tensor/out_of_memory.h"

namespace gloss {

TranslatorError::TranslatorError(ErrorKind kind, const std::string& message)
    : std::runtime_error(message), kind_(kind) {}
TranslatorError::TranslatorError(const TranslatorError&) = default;
TranslatorError::~TranslatorError() = default;

namespace {

/// Returns the message with the interface's field names instead of run-file keys.
std::string text_for_callers(const UsageError& error) {
  std::string text;
  for (const auto& part : error.message) {
    const auto* const key = std::get_if<Key>(&part);
    std::string_view words = key != nullptr ? key->name : std::get<std::string>(part);
    for (const std::string_view prefix : {"decoding.", "sampling."}) {
      if ((key != nullptr || text.empty()) && words.starts_with(prefix)) words.remove_prefix(prefix.size());
    }
    text += words;
  }
  return text;
}

[[noreturn]] void throw_public(const Error& error) {
  switch (error.exit_code()) {
    case ExitCode::kUsage:
      throw TranslatorUsageError(error.what());
    case ExitCode::kData:
      throw TranslatorModelError(error.what());
    case ExitCode::kIo:
      throw TranslatorIoError(error.what());
    case ExitCode::kOutOfMemory:
      throw TranslatorMemoryError(error.what());
    default:
      throw TranslatorError(ErrorKind::kFault, error.what());
  }
}

}  // namespace

void throw_public_error() {
  if (is_out_of_memory()) throw TranslatorMemoryError("out of memory; use a smaller batch_size, beam_size or model");
  try {
    throw;
  } catch (const UsageError& error) {
    throw TranslatorUsageError(text_for_callers(error));
  } catch (const Error& error) {
    throw_public(error);
  } catch (const std::filesystem::filesystem_error& error) {
    throw TranslatorIoError(printable(error.path1().string()) + ": " + error.code().message());
  } catch (const c10::Error& error) {
    throw TranslatorError(ErrorKind::kFault, std::string("a fault in gloss: ") + error.what_without_backtrace());
  } catch (const std::exception& error) {
    throw TranslatorError(ErrorKind::kFault, std::string("a fault in gloss: ") + error.what());
  } catch (...) {
    throw TranslatorError(ErrorKind::kFault, "a fault in gloss of an unknown kind");
  }
}

}  // namespace gloss
