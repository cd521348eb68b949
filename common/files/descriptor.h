#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

namespace gloss {

/// An open file of the operating system, closed with its owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;

  int get() const { return value_; }
  bool is_open() const { return value_ >= 0; }
  /// False, with errno set, where the system reports that something was lost.
  bool close();

 private:
  int value_ = -1;
};

/// Throws IoError("path: cannot <operation>: <reason>"), the reason being errno's.
[[noreturn]] void throw_io_error(const std::filesystem::path& path, std::string_view operation);

/// How often a loop that waits for a descriptor looks for a signal.
constexpr int kLookForStopMilliseconds = 200;

/// Wait until a read or a write will not block, or will report an error; false where the time is over or a signal came.
bool readable_within(int descriptor, int milliseconds);
bool writable_within(int descriptor, int milliseconds);

/// Calls again as long as a signal interrupts.
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

/// Absent where `path` is something else than a regular file; a FIFO or a device neither blocks nor is read. Throws
/// IoError where it cannot be opened.
std::optional<RegularFile> open_regular_file(const std::filesystem::path& path);

/// Fills `bytes` as far as the file goes and returns how far. Throws IoError.
std::size_t read_up_to(const Descriptor& descriptor, std::span<std::byte> bytes, const std::filesystem::path& path);

/// False, with errno set, where not all could be written.
bool write_all(const Descriptor& descriptor, std::span<const std::byte> bytes);

}  // namespace gloss
