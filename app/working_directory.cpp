#include "app/working_directory.h"

#include <cerrno>
#include <climits>
#include <cstring>
#include <string>

#include <sys/syscall.h>
#include <unistd.h>

#include "common/error.h"

namespace gloss {
namespace {

int start_error = 0;  ///< errno of getcwd at the start of the process; 0 if the folder has a name

/// Leaves a working directory that has no name. Runs before the constructors of all shared libraries, so it makes
/// system calls only.
__attribute__((no_sanitize("address", "undefined"))) void leave_removed_directory(int, char**, char**) {
  char path[PATH_MAX];
  if (::syscall(SYS_getcwd, path, sizeof path) > 0 && path[0] == '/') return;
  start_error = errno != 0 ? errno : ENOENT;  // no error, but a path like "(unreachable)/folder"
  static_cast<void>(::syscall(SYS_chdir, "/"));
}

using Initializer = void (*)(int, char**, char**);
__attribute__((section(".preinit_array"), used)) const Initializer initializer = leave_removed_directory;

}  // namespace

void expect_working_directory() {
  if (start_error == 0) return;
  throw IoError(start_error == ENOENT
                    ? "the working directory has been removed: change to a folder that is there, and try again"
                    : std::string("the working directory cannot be found: ") + std::strerror(start_error) +
                          "; change to another folder, and try again");
}

}  // namespace gloss
