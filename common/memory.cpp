#include "common/memory.h"

#include <unistd.h>

namespace gloss {

std::int64_t physical_memory() { return std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE); }

}  // namespace gloss
