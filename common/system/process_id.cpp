#include "common/system/process_id.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <system_error>

namespace gloss {

std::optional<pid_t> parse_process_id(std::string_view digits) {
  pid_t value = 0;
  const auto* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  return error == std::errc() && stop == end && value >= 0 ? std::optional(value) : std::nullopt;
}

bool is_running(pid_t process) { return process > 0 && (::kill(process, 0) == 0 || errno == EPERM); }

}  // namespace gloss
