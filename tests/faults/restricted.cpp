// Starts a program with less than systems usually give: gloss_restricted [address-space=MIB] [file-size=BYTES]
// [open-files=NUMBER] [no-written-code] [no-sysinfo] [no-proc] PROGRAM ARGUMENT... Ends with 125 where the system
// cannot be made to refuse.

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr int kSetMdwe = 65, kRefuseExecGain = 1;  // PR_SET_MDWE, Linux 6.3

bool limit(int resource, rlim_t value) {
  const rlimit limits{value, value};
  return ::setrlimit(static_cast<__rlimit_resource>(resource), &limits) == 0;
}

/// Makes the system call sysinfo fail, as in some sandboxes.
bool refuse_sysinfo() {
  sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sysinfo, 0, 1),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{std::size(filter), filter};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// Covers /proc with an empty folder, for this process and those that it starts.
bool hide_proc() {
  return ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("none", "/proc", "tmpfs", 0, nullptr) == 0;
}

/// Sets the limit that a word before the program names. Returns false if the word is the program.
bool restrict(const char* word) {
  const auto number_after = [word](const char* name) {
    const auto length = std::strlen(name);
    return std::strncmp(word, name, length) == 0 ? std::strtoull(word + length, nullptr, 10) : 0;
  };
  bool done = false;
  if (const auto mebibytes = number_after("address-space="); mebibytes > 0)
    done = limit(RLIMIT_AS, mebibytes << 20);
  else if (const auto bytes = number_after("file-size="); bytes > 0)
    done = limit(RLIMIT_FSIZE, bytes);
  else if (const auto files = number_after("open-files="); files > 0)
    done = limit(RLIMIT_NOFILE, files);
  else if (std::strcmp(word, "no-written-code") == 0)
    done = ::prctl(kSetMdwe, kRefuseExecGain, 0, 0, 0) == 0;
  else if (std::strcmp(word, "no-sysinfo") == 0)
    done = refuse_sysinfo();
  else if (std::strcmp(word, "no-proc") == 0)
    done = hide_proc();
  else
    return false;
  if (!done) std::perror(word), std::exit(125);
  return true;
}

}  // namespace

int main(int, char** argv) {
  do ++argv;
  while (*argv != nullptr&& restrict(*argv));
  if (*argv == nullptr) return 2;
  ::execvp(*argv, argv);
  std::perror(*argv);
  return 127;
}
