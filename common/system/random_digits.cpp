#include "common/system/random_digits.h"

#include <sys/random.h>

#include "common/error.h"
#include "common/text/format.h"

namespace gloss {

std::string random_digits(std::size_t bytes) {
  std::string random(bytes, '\0'), digits;
  if (::getrandom(random.data(), bytes, 0) != static_cast<ssize_t>(bytes)) throw_io_error("getrandom", "read");
  for (const char byte : random) digits += formatted("%02x", static_cast<unsigned char>(byte));
  return digits;
}

}  // namespace gloss
