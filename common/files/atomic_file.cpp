#include "common/files/atomic_file.h"

#include <atomic>
#include <cstdio>
#include <optional>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/error.h"
#include "common/system/machine.h"
#include "common/text/printable.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBeginning = ".gloss.", kEnding = ".tmp";
constexpr int kMaxLinks = 40;  // the limit of Linux

// Returns a temporary path in the folder of `path`. Its length does not depend on the file's name, which may be as long
// as the file system allows.
fs::path temporary_path(const fs::path& path) {
  static std::atomic<unsigned> count = 0;
  const auto number = std::to_string(::getpid()) + '-' + std::to_string(++count);
  return path.parent_path() / (std::string(kBeginning) + number + std::string(kEnding));
}

// Returns the process id in a name made by temporary_path; absent for any other name.
std::optional<pid_t> temporary_owner(std::string_view name) {
  // In a shorter name the beginning and the ending could overlap.
  if (name.size() < kBeginning.size() + kEnding.size()) return std::nullopt;
  if (!name.starts_with(kBeginning) || !name.ends_with(kEnding)) return std::nullopt;
  name.remove_prefix(kBeginning.size());
  name.remove_suffix(kEnding.size());
  const auto dash = name.find('-');
  if (dash == name.npos || !parse_process_id(name.substr(dash + 1))) return std::nullopt;
  return parse_process_id(name.substr(0, dash));
}

// Returns whether another process that is running has this id. A dead process may have had the id of this one.
bool is_of_another_process(pid_t owner) { return owner != ::getpid() && is_running(owner); }

// Follows symbolic links. The final target need not exist.
fs::path resolve_links(fs::path path) {
  std::error_code error;
  for (int links = 0; links < kMaxLinks && fs::is_symlink(path, error); ++links)
    path = path.parent_path() / fs::read_symlink(path, error);
  return path;
}

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

// Returns a path that leads to any open file, even to one without a name.
std::string link_to(const Descriptor& descriptor) { return "/proc/self/fd/" + std::to_string(descriptor.get()); }

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path path) : path_(resolve_links(std::move(path))) {
  std::error_code error;
  const auto kind = fs::status(path_, error).type();
  if (fs::is_symlink(path_, error))
    throw IoError(printable(path_.string()) + ": cannot write: symbolic links that lead to each other");
  const bool replaceable =
      kind == fs::file_type::not_found || kind == fs::file_type::none || kind == fs::file_type::regular;
  if (!replaceable || !path_.has_filename()) {
    throw IoError(printable(path_.string()) + ": cannot write: wanted a file's name, got a folder or a device");
  }

  create();
  keep_permissions();
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::write(std::span<const std::byte> bytes) { check(write_all(descriptor_, bytes), "write"); }

void AtomicFile::write(std::string_view text) { write(std::as_bytes(std::span(text))); }

void AtomicFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  check(::lseek(descriptor_.get(), static_cast<off_t>(offset), SEEK_SET) >= 0, "write");
  write(bytes);
}

Descriptor AtomicFile::open_for_reading() const {
  const auto name = temporary_.empty() ? fs::path(link_to(descriptor_)) : temporary_;
  Descriptor reader(retry_interrupted([&] { return ::open(name.c_str(), O_RDONLY | O_CLOEXEC); }));
  if (!reader.is_open()) throw_io_error(path_, "open");
  return reader;
}

void AtomicFile::commit(bool flush) {
  if (flush) check(retry_interrupted([&] { return ::fsync(descriptor_.get()); }) == 0, "write (fsync)");
  check(give_name(), "name");
  check(descriptor_.close(), "write (close)");
  check(std::rename(temporary_.c_str(), path_.c_str()) == 0, "rename into place");
  temporary_.clear();
  if (flush) flush_folder(folder_of(path_));
}

void AtomicFile::create() {
  constexpr int kFlags = O_WRONLY | O_CLOEXEC;
  constexpr mode_t kMode = 0666;
  descriptor_ =
      Descriptor(retry_interrupted([&] { return ::open(folder_of(path_).c_str(), kFlags | O_TMPFILE, kMode); }));
  if (descriptor_.is_open()) {
    if (::access(link_to(descriptor_).c_str(), F_OK) == 0) return;
    descriptor_.close();  // without /proc the file could never get a name
  }
  do {
    temporary_ = temporary_path(path_);
    descriptor_ =
        Descriptor(retry_interrupted([&] { return ::open(temporary_.c_str(), kFlags | O_CREAT | O_EXCL, kMode); }));
  } while (!descriptor_.is_open() && errno == EEXIST);  // left by a dead process with the same id
  if (descriptor_.is_open()) return;
  temporary_.clear();
  throw_io_error(path_, "create");
}

void AtomicFile::keep_permissions() {
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0) check(::fchmod(descriptor_.get(), status.st_mode & 0777) == 0, "create");
}

// Gives an unnamed file a temporary name: only a named file can be renamed over another.
bool AtomicFile::give_name() {
  if (!temporary_.empty()) return true;
  const auto from = link_to(descriptor_);
  while (true) {
    const auto name = temporary_path(path_);
    if (::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_ = name;
      return true;
    }
    if (errno != EEXIST) return false;
  }
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

// A file system that cannot flush folders returns EINVAL.
void flush_folder(const std::filesystem::path& folder) {
  const Descriptor descriptor(
      retry_interrupted([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!descriptor.is_open() && errno == EACCES) return;
  if (!descriptor.is_open()) throw_io_error(folder, "open");
  if (retry_interrupted([&] { return ::fsync(descriptor.get()); }) != 0 && errno != EINVAL)
    throw_io_error(folder, "flush (fsync)");
}

int remove_stray_temporaries(const std::filesystem::path& folder) {
  std::error_code error;
  int removed = 0;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const auto owner = temporary_owner(entry->path().filename().string());
    if (!owner || is_of_another_process(*owner) || !entry->is_regular_file(error)) continue;
    if (fs::remove(entry->path(), error)) ++removed;
    if (error) break;
  }
  if (error) throw IoError(printable(folder.string()) + ": cannot clean up: " + error.message());
  return removed;
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

std::string read_file(const std::filesystem::path& path, std::size_t limit) {
  const auto file = open_regular_file(path);
  const auto name = [&] { return printable(path.string()); };
  if (!file) throw DataError(name() + ": wanted a regular file, got a folder or a device");
  std::string text(std::min<std::uint64_t>(file->size, limit) + 1, '\0');  // one more byte detects a longer file
  std::size_t size = 0;
  while (true) {
    size += read_up_to(file->descriptor, std::as_writable_bytes(std::span(text)).subspan(size), path);
    if (size > limit) throw DataError(name() + ": wanted at most " + std::to_string(limit) + " bytes, got more");
    if (size < text.size()) break;
    text.resize(std::min(2 * size, limit) + 1);  // the file grew
  }
  text.resize(size);
  return text;
}

}  // namespace gloss
