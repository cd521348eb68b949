#include "app/report_failure.h"

#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>

#include <fcntl.h>

#include "app/output/standard_output.h"
#include "common/log/log.h"
#include "common/text/printable.h"

namespace gloss {
ExitCode fail(ExitCode code, std::string_view message) {
  log_progress("");
  write_to_stderr("gloss: " + log_process() + printable(message, std::string_view::npos) + '\n');
  return code;
}

ExitCode report_failure() {
  try {
    throw;
  } catch (const ClosedOutput&) {
    return ExitCode::kDone;
  } catch (const Error& error) {
    return fail(error.exit_code(), error.what());
  } catch (const std::bad_alloc&) {
    return fail(ExitCode::kOutOfMemory, "out of memory");
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(ExitCode::kIo, printable(error.path1().string()) + ": " + error.code().message());
  } catch (const std::system_error& error) {
    if (is_out_of_threads()) return fail(ExitCode::kOutOfMemory, kNoThread);
    return fail(ExitCode::kFault, std::string("a fault in gloss: ") + error.what());
  } catch (const std::exception& error) {
    return fail(ExitCode::kFault, std::string("a fault in gloss: ") + error.what());
  } catch (...) {
    return fail(ExitCode::kFault, "a fault in gloss of an unknown kind");
  }
}

bool is_out_of_threads() {
  try {
    throw;
  } catch (const std::system_error& error) {
    return error.code() == std::errc::resource_unavailable_try_again;
  } catch (...) {
    return false;
  }
}

void fill_standard_descriptors() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor)
    if (::fcntl(descriptor, F_GETFD) < 0) static_cast<void>(::open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY));
}

}  // namespace gloss
