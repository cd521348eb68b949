#include "run/doctor/free_disk.h"

#include <system_error>

namespace gloss {

std::int64_t free_disk(const std::filesystem::path& folder) {
  auto place = std::filesystem::absolute(folder);
  std::error_code error;
  while (!std::filesystem::exists(place, error) && place.has_parent_path() && place != place.parent_path())
    place = place.parent_path();
  const auto space = std::filesystem::space(place, error);
  return error ? 0 : static_cast<std::int64_t>(space.available);
}

}  // namespace gloss
