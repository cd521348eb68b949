#include "common/files/same_file.h"

#include <algorithm>
#include <system_error>

#include <sys/stat.h>

#include "common/error.h"
#include "common/files/line_reader.h"
#include "common/text/printable.h"

namespace gloss {
namespace {

std::string described(const NamedFile& file) { return file.name + " (" + printable(file.path.string()) + ')'; }

[[noreturn]] void refuse(const NamedFile& output, const NamedFile& other, const std::string& what) {
  throw UsageError(described(output) + " is the same file as " + described(other) + what +
                   "; name another file for the output");
}

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

bool same_file(const std::filesystem::path& first, const std::filesystem::path& second) {
  using Status = struct stat;
  Status first_status{}, second_status{};
  const bool has_first = ::stat(first.c_str(), &first_status) == 0,
             has_second = ::stat(second.c_str(), &second_status) == 0;
  if (has_first && has_second)
    return S_ISREG(first_status.st_mode) && first_status.st_dev == second_status.st_dev &&
           first_status.st_ino == second_status.st_ino;
  std::error_code error;
  return !has_first && !has_second &&
         std::filesystem::weakly_canonical(first, error) == std::filesystem::weakly_canonical(second, error) && !error;
}

void expect_no_input(const NamedFile& output, const std::vector<NamedFile>& inputs) {
  for (const auto& input : inputs)
    if (same_file(output.path, TextPath::of(input.path).file)) refuse(output, input, ", which is read");
}

void expect_distinct(std::span<const NamedFile> outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i)
    for (std::size_t j = i + 1; j < outputs.size(); ++j)
      if (same_file(outputs[i].path, outputs[j].path)) refuse(outputs[i], outputs[j], ", which is written, too");
}

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
