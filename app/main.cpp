#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include <c10/util/Exception.h>
#include <fcntl.h>
#include <unistd.h>

#include "app/command_line.h"
#include "app/output/standard_output.h"
#include "common/error.h"
#include "common/log.h"
#include "common/system/signals.h"
#include "tensor/out_of_memory.h"

namespace gloss {
namespace {

ExitCode say(ExitCode code, std::string_view message) {
  log_progress("");
  write_to_stderr("gloss: " + printable(message, std::string_view::npos) + '\n');
  return code;
}

ExitCode say_out_of_memory() {
  return say(ExitCode::kOutOfMemory,
             "out of memory; use a smaller batch (data.batch_tokens, --batch-size), beam or model");
}

/// The system could not start a thread.
bool is_out_of_threads(const std::system_error& error) {
  return error.code() == std::errc::resource_unavailable_try_again;
}

/// The exception that is being handled, as one line on stderr and an exit code.
ExitCode report_failure() {
  if (is_out_of_memory()) return say_out_of_memory();
  try {
    throw;
  } catch (const ClosedOutput&) {
    return ExitCode::kDone;
  } catch (const Error& error) {
    return say(error.exit_code(), error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return say(ExitCode::kIo, printable(error.path1().string()) + ": " + error.code().message());
  } catch (const std::system_error& error) {
    if (is_out_of_threads(error))
      return say(ExitCode::kOutOfMemory,
                 "the system gives no further thread (ulimit -u, ulimit -v or a control group)");
    return say(ExitCode::kFault, std::string("a fault in gloss: ") + error.what());
  } catch (const c10::Error& error) {
    return say(ExitCode::kFault, std::string("a fault in gloss: ") + error.what_without_backtrace());
  } catch (const std::exception& error) {
    return say(ExitCode::kFault, std::string("a fault in gloss: ") + error.what());
  } catch (...) {
    return say(ExitCode::kFault, "a fault in gloss of an unknown kind");
  }
}

/// Where memory runs out and the exception can reach no handler, as in LibTorch's initializers, which run before main,
/// and in its threads: no memory is taken here.
[[noreturn]] void end_uncaught() {
  constexpr std::string_view kMessage = "gloss: out of memory; raise the limit of this process (ulimit -v)\n";
  if (std::current_exception() && is_out_of_memory()) {
    static_cast<void>(!::write(STDERR_FILENO, kMessage.data(), kMessage.size()));
    ::_exit(static_cast<int>(ExitCode::kOutOfMemory));
  }
  __gnu_cxx::__verbose_terminate_handler();
  std::abort();
}

// Sanitizers are not set up so early.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/// Runs before the initializers of all libraries.
[[gnu::section(".preinit_array"), gnu::used]] void (*const run_first)() = [] { std::set_terminate(end_uncaught); };
#endif

/// A standard descriptor that the parent closed would be given to the next file that is opened, and results be written
/// into it. Opened so that reading a text from it, or writing a result to it, fails.
void fill_standard_descriptors() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor)
    if (::fcntl(descriptor, F_GETFD) < 0) static_cast<void>(::open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY));
}

ExitCode run(int argc, const char* const* argv) {
  try {
    fill_standard_descriptors();
    let_writes_fail();
    end_on_signal();
    return parse_command_line(argc, argv)();
  } catch (...) {
    return report_failure();
  }
}

}  // namespace
}  // namespace gloss

int main(int argc, char** argv) {
  const auto code = gloss::run(argc, argv);
  gloss::finish_log();
  return static_cast<int>(code);
}
