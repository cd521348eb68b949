#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <variant>

#include <sys/auxv.h>
#include <unistd.h>

#include "app/command_line.h"
#include "app/output/standard_output.h"
#include "app/report_failure.h"
#include "common/error.h"
#include "common/system/signals.h"
#include "common/text/printable.h"

namespace gloss {
namespace {

/// Paths of the second program relative to the folder of this one: as installed, and in the build tree.
constexpr std::array kRunPrograms = {GLOSS_INSTALLED_RUN_PROGRAM, GLOSS_BUILT_RUN_PROGRAM};

/// Returns the path of this program; without /proc the one by which it was started.
std::filesystem::path own_path() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) return path;
  return std::filesystem::weakly_canonical(reinterpret_cast<const char*>(::getauxval(AT_EXECFN)), error);
}

/// Returns the path of the program that runs commands. Throws IoError if it is missing.
std::filesystem::path run_program() {
  std::error_code error;
  const auto folder = own_path().parent_path();
  for (const auto* place : kRunPrograms)
    if (const auto path = folder / place; std::filesystem::exists(path, error)) return path;
  throw IoError("there is no program " + printable((folder / kRunPrograms.front()).lexically_normal().string()) +
                ", which runs the commands; install gloss again, the program with its libraries");
}

/// Throws IoError if the working directory has been removed. oneMKL would end the second program with a message of its
/// own.
void expect_working_directory() {
  std::error_code error;
  static_cast<void>(std::filesystem::current_path(error));
  if (error) throw IoError("the working directory has been removed: change to a folder that is there, and try again");
}

/// Replaces this process by the second program, which loads LibTorch, with the same arguments, descriptors and process
/// id. Sets OMP_WAIT_POLICY first, unless it is set, since OpenMP reads its settings when it is loaded: by default its
/// threads wait in a busy loop, which takes the processor from other programs (docs/decisions.md). Throws IoError.
[[noreturn]] void become_run_program(char** argv) {
  expect_working_directory();
  const auto program = run_program();
  ::setenv("OMP_WAIT_POLICY", "passive", /*overwrite=*/0);
  ::execv(program.c_str(), argv);
  throw IoError(printable(program.string()) + ": cannot start: " + std::strerror(errno));
}

ExitCode start(int argc, char** argv) {
  try {
    fill_standard_descriptors();
    const auto command = parse_command_line(argc, argv);
    const auto* const action = std::get_if<Action>(&command);
    if (action == nullptr) become_run_program(argv);
    let_writes_fail();
    end_on_signal();
    return (*action)();
  } catch (...) {
    return report_failure();
  }
}

}  // namespace
}  // namespace gloss

/// Runs the small program `gloss`: reads the command line, prints help and errors, and becomes the program that runs
/// the command (app/run_main.cpp). Does not load LibTorch.
int main(int argc, char** argv) { return static_cast<int>(gloss::start(argc, argv)); }
