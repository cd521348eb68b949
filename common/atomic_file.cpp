#include "common/atomic_file.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdio>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "common/error.h"
#include "common/log.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".tmp";
constexpr int kMostLinks = 40;  // as many as Linux follows

fs::path temporary_path(const fs::path& path) {
  static std::atomic<unsigned> count = 0;
  const auto name = '.' + path.filename().string() + '.' + std::to_string(::getpid()) + '-' + std::to_string(++count);
  return path.parent_path() / (name + std::string(kEnding));
}

bool is_temporary_name(std::string_view name) {
  if (!name.starts_with('.') || !name.ends_with(kEnding)) return false;
  name.remove_suffix(kEnding.size());
  const auto digits_before = [&](char separator) {
    const auto place = name.rfind(separator);
    if (place == name.npos || place + 1 == name.size()) return false;
    const bool digits =
        std::ranges::all_of(name.substr(place + 1), [](unsigned char c) { return std::isdigit(c) != 0; });
    name = name.substr(0, place);
    return digits;
  };
  return digits_before('-') && digits_before('.') && name.size() > 1;
}

// Where the link at `path`, if it is one, leads in the end; there need not be anything there.
fs::path behind_links(fs::path path) {
  std::error_code error;
  for (int links = 0; links < kMostLinks && fs::is_symlink(path, error); ++links)
    path = path.parent_path() / fs::read_symlink(path, error);
  return path;
}

// The entry of the new name is on the disk too. A file system that cannot flush folders says EINVAL.
bool flush_folder(const fs::path& folder) {
  const auto place = folder.empty() ? fs::path(".") : folder;
  const Descriptor descriptor(
      retry_interrupted([&] { return ::open(place.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!descriptor.is_open()) return false;
  return retry_interrupted([&] { return ::fsync(descriptor.get()); }) == 0 || errno == EINVAL;
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path) : path_(behind_links(std::move(path))) {
  std::error_code error;
  const auto kind = fs::status(path_, error).type();
  if (fs::is_symlink(path_, error))
    throw IoError(printable(path_.string(), 1000) + ": cannot write: symbolic links that lead to each other");
  const bool replaceable =
      kind == fs::file_type::not_found || kind == fs::file_type::none || kind == fs::file_type::regular;
  if (!replaceable || !path_.has_filename()) {
    throw IoError(printable(path_.string(), 1000) + ": cannot write: wanted a file's name, got a folder or a device");
  }

  const auto create = [&] {
    temporary_ = temporary_path(path_);
    constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
    return retry_interrupted([&] { return ::open(temporary_.c_str(), kFlags, 0666); });
  };
  do {
    descriptor_ = Descriptor(create());
  } while (!descriptor_.is_open() && errno == EEXIST);  // left by a dead process of the same number
  if (!descriptor_.is_open()) throw_io_error(path_, "create");
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::write(std::span<const std::byte> bytes) { check(write_all(descriptor_, bytes), "write"); }

void AtomicFile::write(std::string_view text) { write(std::as_bytes(std::span(text))); }

void AtomicFile::commit() {
  check(retry_interrupted([&] { return ::fsync(descriptor_.get()); }) == 0, "write (fsync)");
  check(descriptor_.close(), "write (close)");
  check(std::rename(temporary_.c_str(), path_.c_str()) == 0, "rename into place");
  temporary_.clear();
  check(flush_folder(path_.parent_path()), "flush the folder of");
}

void AtomicFile::check(bool worked, std::string_view operation) {
  if (worked) return;
  const int reason = errno;
  discard();
  errno = reason;
  throw_io_error(path_, operation);
}

void AtomicFile::discard() {
  descriptor_.close();
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

int remove_stray_temporaries(const std::filesystem::path& folder) {
  std::error_code error;
  int removed = 0;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (!is_temporary_name(entry->path().filename().string()) || !entry->is_regular_file(error)) continue;
    if (fs::remove(entry->path(), error)) ++removed;
    if (error) break;
  }
  if (error) throw IoError(printable(folder.string(), 1000) + ": cannot clean up: " + error.message());
  return removed;
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

std::string read_file(const std::filesystem::path& path, std::size_t limit) {
  const auto file = open_regular_file(path);
  const auto name = [&] { return printable(path.string(), 1000); };
  if (!file) throw DataError(name() + ": wanted a regular file, got a folder or a device");
  std::string text(std::min<std::uint64_t>(file->size, limit) + 1, '\0');  // one more shows what is longer
  std::size_t size = 0;
  while (true) {
    size += read_up_to(file->descriptor, std::as_writable_bytes(std::span(text)).subspan(size), path);
    if (size > limit) throw DataError(name() + ": wanted at most " + std::to_string(limit) + " bytes, got more");
    if (size < text.size()) break;
    text.resize(std::min(2 * size, limit) + 1);  // it grew
  }
  text.resize(size);
  return text;
}

}  // namespace gloss
