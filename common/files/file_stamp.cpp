#include "common/files/file_stamp.h"

#include <algorithm>

#include <sys/stat.h>

#include "common/files/text_path.h"

namespace gloss {
namespace {

constexpr std::chrono::seconds kCoarsestTick{2};

std::int64_t nanoseconds(const timespec& time) {
  constexpr std::int64_t kNanosecondsASecond = 1'000'000'000;
  return time.tv_sec * kNanosecondsASecond + time.tv_nsec;
}

FileStamp stamp_of(const struct stat& status) {
  return {.device = status.st_dev,
          .inode = status.st_ino,
          .size = static_cast<std::uint64_t>(status.st_size),
          .modified = nanoseconds(status.st_mtim),
          .changed = nanoseconds(status.st_ctim)};
}

}  // namespace

FileStamp FileStamp::of(const std::filesystem::path& path) {
  struct stat status {};
  const auto file = TextPath::of(path).file;
  if (::stat(file.c_str(), &status) != 0) throw_io_error(file, "look at");
  return stamp_of(status);
}

FileStamp FileStamp::of(const Descriptor& file, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw_io_error(path, "look at");
  return stamp_of(status);
}

bool FileStamp::settled(std::chrono::system_clock::time_point time) const {
  const std::chrono::nanoseconds last(std::max(modified, changed));
  return last + kCoarsestTick <= time.time_since_epoch();
}

}  // namespace gloss
