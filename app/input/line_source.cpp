#include "app/input/line_source.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <unistd.h>

#include "common/error.h"
#include "common/files/descriptor.h"
#include "common/system/signals.h"

namespace gloss {

LineSource::LineSource(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}

std::vector<TextLine> LineSource::next(std::size_t max_lines) {
  while (ready_.size() < max_lines && !ended_) {
    if (ready_.empty() ? !wait_for_input() : !readable_within(descriptor_, 0)) break;
    read_some();
  }
  if (stop_requested()) return {};
  const auto end = ready_.begin() + static_cast<std::ptrdiff_t>(std::min(max_lines, ready_.size()));
  std::vector<TextLine> lines(std::make_move_iterator(ready_.begin()), std::make_move_iterator(end));
  ready_.erase(ready_.begin(), end);
  return lines;
}

/// Waits until there is input. Returns false if a stop was requested.
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
  TextLine line;
  while (!bytes.empty())
    if (splitter_.next(bytes, line)) ready_.push_back(std::move(line));
  ended_ = got == 0;
  if (ended_ && splitter_.finish(line)) ready_.push_back(std::move(line));
}

}  // namespace gloss
