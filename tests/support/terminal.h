#pragma once

#include <cstdlib>
#include <optional>

#include <fcntl.h>
#include <unistd.h>

namespace gloss {

/// Two ends of a pseudo-terminal, for the caller to close: a program has `inside`, and at `outside` we type and see.
struct Terminal {
  int outside = -1, inside = -1;
};

/// Empty where the system has none to give, as in a chroot without /dev/pts.
inline std::optional<Terminal> open_terminal() {
  const int outside = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (outside < 0) return std::nullopt;
  const char* name = ::grantpt(outside) == 0 && ::unlockpt(outside) == 0 ? ::ptsname(outside) : nullptr;
  const int inside = name == nullptr ? -1 : ::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (inside >= 0) return Terminal{outside, inside};
  ::close(outside);
  return std::nullopt;
}

}  // namespace gloss
