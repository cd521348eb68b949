#pragma once

#include <cstddef>
#include <string>

namespace gloss {

/// Returns random bytes of the system, which nobody can guess, as hexadecimal digits. Throws IoError if it has none.
std::string random_digits(std::size_t bytes);

}  // namespace gloss
