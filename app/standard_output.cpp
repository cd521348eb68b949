#include "app/standard_output.h"

#include <cerrno>
#include <cstring>
#include <string>

#include <poll.h>
#include <unistd.h>

#include "common/error.h"

namespace gloss {

void write_result(std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE) {
      throw ClosedOutput();
    } else if (errno == EAGAIN) {  // somebody made it non-blocking
      pollfd ready{STDOUT_FILENO, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      throw IoError(std::string("stdout: cannot write: ") + std::strerror(errno));
    }
  }
}

}  // namespace gloss
