#include "app/input/line_source.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <unistd.h>

#include "common/error.h"
#include "common/system/descriptor.h"
#include "common/system/signals.h"

namespace gloss {

LineSource::LineSource(int descriptor, TextPath place) : descriptor_(descriptor), place_(std::move(place)) {}

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
    throw IoError(place_.file.string() + ": cannot read: " + std::strerror(errno));
  }
  const std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
  if (!std::exchange(begun_, true) && GzipDecoder::recognizes(bytes))
    gzip_ = std::make_unique<GzipDecoder>(place_.file.string());
  if (gzip_) {
    gzip_->feed(bytes);
    for (auto text = gzip_->decode(); !text.empty(); text = gzip_->decode()) split(text);
  } else {
    split(bytes);
  }
  ended_ = got == 0;
  if (!ended_) return;
  if (gzip_) gzip_->finish();
  if (TextLine line; splitter_.finish(line)) add(std::move(line));
}

void LineSource::split(std::string_view text) {
  for (TextLine line; !text.empty();)
    if (splitter_.next(text, line)) add(std::move(line));
}

void LineSource::add(TextLine line) {
  place_.select(line.text, ++lines_);
  ready_.push_back(std::move(line));
}

}  // namespace gloss
