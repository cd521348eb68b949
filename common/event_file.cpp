#include "common/event_file.h"

#include <chrono>
#include <span>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gloss {
namespace {

// A process that was killed while it wrote leaves a line without an end.
bool ends_within_a_line(const Descriptor& descriptor) {
  struct stat status {};
  char last = '\n';
  return ::fstat(descriptor.get(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 &&
         ::pread(descriptor.get(), &last, 1, status.st_size - 1) == 1 && last != '\n';
}

bool write_text(const Descriptor& descriptor, std::string_view text) {
  return write_all(descriptor, std::as_bytes(std::span(text)));
}

}  // namespace

EventFile::EventFile(std::filesystem::path path) : path_(std::move(path)) {
  constexpr int kFlags = O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY;
  const auto open_as = [&](int access) {
    return Descriptor(retry_interrupted([&] { return ::open(path_.c_str(), access | kFlags, 0666); }));
  };
  descriptor_ = open_as(O_RDWR);
  if (!descriptor_.is_open()) descriptor_ = open_as(O_WRONLY);  // what cannot be read, such as a pipe, can be added to
  if (!descriptor_.is_open()) throw_io_error(path_, "open");
  if (ends_within_a_line(descriptor_) && !write_text(descriptor_, "\n")) throw_io_error(path_, "write");
}

bool EventFile::write(std::string_view event, Json fields) {
  if (!is_open()) return true;
  fields["event"] = event;
  fields["time"] = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  if (write_text(descriptor_, to_text(fields) + '\n')) return true;
  descriptor_.close();
  return false;
}

}  // namespace gloss
