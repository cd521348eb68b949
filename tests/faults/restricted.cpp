// Starts a program with less than systems usually give: gloss_restricted [address-space=MIB] [file-size=BYTES]
// [no-written-code] PROGRAM ARGUMENT... Ends with 125 where the system cannot be made to refuse.

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace {

constexpr int kSetMdwe = 65, kRefuseExecGain = 1;  // PR_SET_MDWE, Linux 6.3

bool limit(int resource, rlim_t value) {
  const rlimit limits{value, value};
  return ::setrlimit(static_cast<__rlimit_resource>(resource), &limits) == 0;
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
  else if (std::strcmp(word, "no-written-code") == 0)
    done = ::prctl(kSetMdwe, kRefuseExecGain, 0, 0, 0) == 0;
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
