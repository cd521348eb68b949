#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace gloss {

/// Owns an open file descriptor and closes it.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;

  int get() const { return value_; }
  bool is_open() const { return value_ >= 0; }
  /// Gives up the descriptor, which the caller then owns.
  int release() { return std::exchange(value_, -1); }
  /// Returns false, with errno set, if the system reports lost data.
  bool close();

 private:
  int value_ = -1;
};

/// Throws IoError("path: cannot <operation>: <reason>"), with the reason from errno.
[[noreturn]] void throw_io_error(const std::filesystem::path& path, std::string_view operation);

/// Interval at which loops that wait for a descriptor check for a signal.
constexpr int kLookForStopMilliseconds = 200;

/// Waits until a read or a write does not block or reports an error. Returns false if the time is over or a signal
/// arrived.
bool readable_within(int descriptor, int milliseconds);
bool writable_within(int descriptor, int milliseconds);

/// Repeats the call as long as a signal interrupts it.
template <typename Call>
auto retry_interrupted(Call call) {
  auto result = call();
  while (result == -1 && errno == EINTR) result = call();
  return result;
}

/// A regular file opened for reading.
struct RegularFile {
  Descriptor descriptor;
  std::uint64_t size;
};

/// Opens a regular file; returns nothing for any other file type. A FIFO or a device neither blocks nor is read. Throws
/// IoError if the file cannot be opened.
std::optional<RegularFile> open_regular_file(const std::filesystem::path& path);

/// Fills `bytes` from the file and returns the number of bytes read, which is smaller at its end. Throws IoError.
std::size_t read_up_to(const Descriptor& descriptor, std::span<std::byte> bytes, const std::filesystem::path& path);
/// Fills `bytes` likewise from byte `offset` of the file. Threads can share the descriptor.
std::size_t read_up_to(const Descriptor& descriptor, std::uint64_t offset, std::span<std::byte> bytes,
                       const std::filesystem::path& path);

/// Writes all bytes. Returns false, with errno set, if that fails.
bool write_all(const Descriptor& descriptor, std::span<const std::byte> bytes);

}  // namespace gloss
