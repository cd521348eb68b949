#include "common/system/descriptor.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/error.h"
#include "common/text/printable.h"

namespace gloss {
namespace {

constexpr std::size_t kMaxTransfer = std::size_t{1} << 30;  // Linux moves at most 2 GiB in one call

bool ready_within(int descriptor, short event, int milliseconds) {
  pollfd ready{descriptor, event, 0};
  return ::poll(&ready, 1, milliseconds) > 0;
}

/// Calls read(done, size) until `bytes` are read or the file ends; returns the number of bytes read.
template <typename Read>
std::size_t fill(std::span<std::byte> bytes, const std::filesystem::path& path, const Read& read) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto size = std::min(bytes.size() - done, kMaxTransfer);
    const auto got = retry_interrupted([&] { return read(done, size); });
    if (got < 0) throw_io_error(path, "read");
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

}  // namespace

Descriptor::Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    close();
    value_ = std::exchange(other.value_, -1);
  }
  return *this;
}

bool Descriptor::close() {
  if (!is_open()) return true;
  return ::close(std::exchange(value_, -1)) == 0 || errno == EINTR;  // Linux has closed it even when interrupted
}

void throw_io_error(const std::filesystem::path& path, std::string_view operation) {
  const auto reason = std::system_category().message(errno);
  throw IoError(printable(path.string()) + ": cannot " + std::string(operation) + ": " + reason);
}

bool readable_within(int descriptor, int milliseconds) { return ready_within(descriptor, POLLIN, milliseconds); }
bool writable_within(int descriptor, int milliseconds) { return ready_within(descriptor, POLLOUT, milliseconds); }

std::optional<RegularFile> open_regular_file(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a FIFO without a writer returns at once.
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  Descriptor descriptor(retry_interrupted([&] { return ::open(path.c_str(), kFlags); }));
  if (!descriptor.is_open()) throw_io_error(path, "open");
  struct stat status {};
  if (::fstat(descriptor.get(), &status) != 0) throw_io_error(path, "look at");
  if (!S_ISREG(status.st_mode)) return std::nullopt;
  return RegularFile{std::move(descriptor), static_cast<std::uint64_t>(status.st_size)};
}

std::size_t read_up_to(const Descriptor& descriptor, std::span<std::byte> bytes, const std::filesystem::path& path) {
  return fill(bytes, path,
              [&](std::size_t done, std::size_t size) { return ::read(descriptor.get(), bytes.data() + done, size); });
}

std::size_t read_up_to(const Descriptor& descriptor, std::uint64_t offset, std::span<std::byte> bytes,
                       const std::filesystem::path& path) {
  return fill(bytes, path, [&](std::size_t done, std::size_t size) {
    return ::pread(descriptor.get(), bytes.data() + done, size, static_cast<off_t>(offset + done));
  });
}

bool write_all(const Descriptor& descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto size = std::min(bytes.size(), kMaxTransfer);
    const auto written = retry_interrupted([&] { return ::write(descriptor.get(), bytes.data(), size); });
    if (written < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace gloss
