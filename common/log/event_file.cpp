#include "common/log/event_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gloss {
namespace {

constexpr off_t kMaxTornLine = 1 << 20;

// Returns whether the file ends within a line. A process that is killed while writing leaves the beginning of an event,
// and a power cut zeros; both are removed.
bool ends_within_a_line(const Descriptor& descriptor) {
  struct stat status {};
  if (::fstat(descriptor.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) return false;
  std::string line(static_cast<std::size_t>(std::min(status.st_size, kMaxTornLine)), '\0');
  const auto begin = status.st_size - std::ssize(line);
  if (::pread(descriptor.get(), line.data(), line.size(), begin) != std::ssize(line)) return false;
  const auto line_begin = line.rfind('\n') + 1;  // 0 if there is none
  line.erase(0, line_begin);
  const bool is_torn =
      (line.starts_with('{') || line.starts_with('\0')) && !Json::accept(line) && (line_begin > 0 || begin == 0);
  return !line.empty() && !(is_torn && ::ftruncate(descriptor.get(), status.st_size - std::ssize(line)) == 0);
}

/// Returns the number of lines in a pipe that no other process reads, and closes its descriptor. They are lost with it.
std::int64_t unread_lines(Descriptor& pipe, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(pipe.get(), &status) != 0 || !S_ISFIFO(status.st_mode)) return 0;
  const auto open_as = [&](int access) { return Descriptor(::open(path.c_str(), access | O_CLOEXEC | O_NONBLOCK)); };
  const auto writer = open_as(O_WRONLY);
  pipe.close();  // it can read, too
  pollfd state{writer.get(), POLLOUT, 0};
  if (!writer.is_open() || ::poll(&state, 1, 0) <= 0 || (state.revents & POLLERR) == 0) return 0;
  const auto reader = open_as(O_RDONLY);
  std::int64_t lines = 0;
  std::array<char, 4096> buffer;
  for (ssize_t size = 0; (size = ::read(reader.get(), buffer.data(), buffer.size())) > 0;)
    lines += std::count(buffer.begin(), buffer.begin() + size, '\n');
  return lines;
}

constexpr std::chrono::seconds kWait{1};  // for the reader of a full pipe

std::string line_of(std::string_view event, Json fields) {
  fields["event"] = event;
  fields["time"] = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  return to_text(fields) + '\n';
}

}  // namespace

EventFile::EventFile(std::filesystem::path path) : path_(std::move(path)) {
  // O_NONBLOCK: neither opening nor a full pipe blocks. Regular files are written as without it.
  constexpr int kFlags = O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  const auto open_as = [&](int access) {
    return Descriptor(retry_interrupted([&] { return ::open(path_.c_str(), access | kFlags, 0666); }));
  };
  descriptor_ = open_as(O_RDWR);
  if (!descriptor_.is_open()) descriptor_ = open_as(O_WRONLY);  // a pipe can be written but not read
  if (!descriptor_.is_open()) throw_io_error(path_, "open");
  if (ends_within_a_line(descriptor_) && send("\n", Clock::now() + kWait) == Sent::kFailed)
    throw_io_error(path_, "write");
}

bool EventFile::write(std::string_view event, Json fields) {
  if (!is_open()) return true;
  const auto deadline = Clock::now() + kWait;
  auto sent = send_rest(deadline);
  if (sent == Sent::kAll && dropped_ > reported_) {
    sent = send(line_of("dropped", {{"events", dropped_ - reported_}}), deadline);
    if (sent == Sent::kAll) reported_ = dropped_;
  }
  if (sent == Sent::kAll) sent = send(line_of(event, std::move(fields)), deadline);
  if (sent == Sent::kNone) ++dropped_;
  if (sent != Sent::kFailed) return true;
  descriptor_.close();
  return false;
}

std::int64_t EventFile::finish() {
  if (is_open() && send_rest(Clock::now() + kWait) != Sent::kAll) ++dropped_;
  if (is_open()) dropped_ += unread_lines(descriptor_, path_);
  rest_.clear();
  descriptor_.close();
  return dropped_;
}

/// Sends a line. kAll: the line, or its beginning with the rest in `rest_`; kNone: nothing was sent.
EventFile::Sent EventFile::send(std::string line, Clock::time_point deadline) {
  const auto size = line.size();
  rest_ = std::move(line);
  const auto sent = send_rest(deadline);
  if (sent != Sent::kNone) return sent;
  if (rest_.size() < size) return Sent::kAll;
  rest_.clear();
  return Sent::kNone;
}

EventFile::Sent EventFile::send_rest(Clock::time_point deadline) {
  while (!rest_.empty()) {
    const auto written = retry_interrupted([&] { return ::write(descriptor_.get(), rest_.data(), rest_.size()); });
    if (written >= 0) {
      rest_.erase(0, static_cast<std::size_t>(written));
      if (rest_.empty()) stuck_ = false;
    } else if (errno != EAGAIN) {
      return Sent::kFailed;
    } else {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
      if (stuck_ || left <= 0 || !writable_within(descriptor_.get(), static_cast<int>(left))) {
        stuck_ = true;
        return Sent::kNone;
      }
    }
  }
  return Sent::kAll;
}

}  // namespace gloss
