#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include <c10/util/Exception.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "app/command_line.h"
#include "app/commands/commands.h"
#include "app/report_failure.h"
#include "common/error.h"
#include "common/log/log.h"
#include "common/system/signals.h"
#include "tensor/out_of_memory.h"

namespace gloss {
namespace {

/// Reports the current exception like report_failure(), but also handles those of LibTorch.
ExitCode report_failure_of_command() {
  if (is_out_of_memory())
    return fail(ExitCode::kOutOfMemory,
                "out of memory; use a smaller batch (data.batch_tokens, --batch-size), beam or model");
  try {
    throw;
  } catch (const c10::Error& error) {
    return fail(ExitCode::kFault, std::string("a fault in gloss: ") + error.what_without_backtrace());
  } catch (...) {
    return report_failure();
  }
}

/// Prints a message and ends the program without allocating memory.
[[noreturn]] void end_at_limit(std::initializer_list<std::string_view> message) {
  for (const auto part : message) static_cast<void>(!::write(STDERR_FILENO, part.data(), part.size()));
  ::_exit(static_cast<int>(ExitCode::kOutOfMemory));
}

/// Ends the program if an exception reaches no handler. Memory may run out in LibTorch's initializers, which run before
/// main, and in its threads.
[[noreturn]] void end_uncaught() {
  if (std::current_exception() && is_out_of_memory())
    end_at_limit({"gloss: out of memory; raise the limit of this process (ulimit -v)\n"});
  if (std::current_exception() && is_out_of_threads()) end_at_limit({"gloss: ", kNoThread, "\n"});
  __gnu_cxx::__verbose_terminate_handler();
  std::abort();
}

// Sanitizers are not initialized this early.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/// Runs before the initializers of all libraries.
[[gnu::section(".preinit_array"), gnu::used]] void (*const run_first)() = [] { std::set_terminate(end_uncaught); };
#endif

bool returns = false;  // from main

/// Runs at the end of the program. OpenMP calls exit(1) if it cannot start a thread.
void end_without_thread(int status, void*) {
  if (!returns && status == EXIT_FAILURE) end_at_limit({"gloss: ", kNoThread, "; go on with fewer --threads\n"});
}

ExitCode run_action(const Action& action) { return action(); }
template <typename Options>
ExitCode run_action(const Parsed<Options>& options) {
  return run(*options);
}

ExitCode run_command_line(int argc, const char* const* argv) {
  try {
    fill_standard_descriptors();
    let_writes_fail();
    end_on_signal();
    return std::visit([](const auto& command) { return run_action(command); }, parse_command_line(argc, argv));
  } catch (...) {
    return report_failure_of_command();
  }
}

}  // namespace
}  // namespace gloss

/// Runs a command: the second program. `gloss` (app/main.cpp) starts it with its own arguments.
int main(int argc, char** argv) {
  ::prctl(PR_SET_NAME, "gloss");  // for ps and killall
  ::on_exit(gloss::end_without_thread, nullptr);
  const auto code = gloss::run_command_line(argc, argv);
  gloss::finish_log();
  gloss::returns = true;
  return static_cast<int>(code);
}
