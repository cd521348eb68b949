#include "app/line_source.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <poll.h>
#include <unistd.h>

#include "common/error.h"
#include "common/signals.h"
#include "common/utf8.h"

namespace gloss {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr int kLookForStopMilliseconds = 200;

bool readable_within(int descriptor, int milliseconds) {
  pollfd ready{descriptor, POLLIN, 0};
  return ::poll(&ready, 1, milliseconds) > 0;
}

/// Drops the first bytes of a character whose other bytes were cut off.
void drop_broken_end(std::string& text) {
  auto lead = text.size();
  while (lead > 0 && text.size() - lead < 4 && (text[lead - 1] & 0xc0) == 0x80) --lead;
  if (lead > 0 && (text[lead - 1] & 0x80) != 0 && !is_utf8(std::string_view(text).substr(lead - 1)))
    text.resize(lead - 1);
}

}  // namespace

LineSource::LineSource(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}

std::vector<InputLine> LineSource::next(std::size_t most) {
  while (ready_.size() < most && !ended_) {
    if (ready_.empty() ? !wait_for_input() : !readable_within(descriptor_, 0)) break;
    read_some();
  }
  if (stop_requested()) return {};
  const auto end = ready_.begin() + static_cast<std::ptrdiff_t>(std::min(most, ready_.size()));
  std::vector<InputLine> lines(std::make_move_iterator(ready_.begin()), std::make_move_iterator(end));
  ready_.erase(ready_.begin(), end);
  return lines;
}

/// False where a stop was requested.
bool LineSource::wait_for_input() const {
  while (!stop_requested())
    if (readable_within(descriptor_, kLookForStopMilliseconds)) return true;
  return false;
}

void LineSource::read_some() {
  std::array<char, 1 << 16> buffer;
  const auto got = ::read(descriptor_, buffer.data(), buffer.size());
  if (got < 0) {
    if (errno == EINTR || errno == EAGAIN) return;
    throw IoError(name_ + ": cannot read: " + std::strerror(errno));
  }
  std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
  for (auto end = bytes.find('\n'); end != bytes.npos; end = bytes.find('\n')) {
    append(bytes.substr(0, end));
    end_line();
    bytes.remove_prefix(end + 1);
  }
  append(bytes);
  ended_ = got == 0;
  if (ended_ && !current_.text.empty()) end_line();
}

void LineSource::append(std::string_view bytes) {
  const auto room = kMaxLineBytes - current_.text.size();
  if (bytes.size() > room && !current_.cut) {
    current_.text += bytes.substr(0, room);
    current_.cut = true;
  } else if (!current_.cut) {
    current_.text += bytes;
  }
}

void LineSource::end_line() {
  auto& text = current_.text;
  if (current_.cut) {
    drop_broken_end(text);
  } else if (text.ends_with('\r')) {
    text.pop_back();
  }
  if (at_begin_ && text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  at_begin_ = false;
  ready_.push_back(std::exchange(current_, {}));
}

}  // namespace gloss
