#include "app/output/standard_output.h"

#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstring>
#include <string>

#include <unistd.h>

#include "common/error.h"
#include "common/system/descriptor.h"
#include "common/system/stop.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "common/text/utf8.h"

namespace gloss {
namespace {

/// Returns the part of `text` to write next: as many whole lines as a pipe accepts without waiting, or a part of a
/// longer line. A reader thus finds whole lines if the program is stopped.
std::string_view next_part(std::string_view text) {
  if (text.size() <= PIPE_BUF) return text;
  const auto end = text.rfind('\n', PIPE_BUF - 1);
  return text.substr(0, end == text.npos ? PIPE_BUF : end + 1);
}

}  // namespace

void write_result(std::string_view text) {
  while (!text.empty()) {
    while (!writable_within(STDOUT_FILENO, kLookForStopMilliseconds)) stop_where_requested();
    const auto part = next_part(text);
    const auto written = ::write(STDOUT_FILENO, part.data(), part.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE) {
      throw ClosedOutput();
    } else if (errno != EINTR && errno != EAGAIN) {
      throw IoError(std::string("stdout: cannot write: ") + std::strerror(errno));
    }
  }
}

std::string printable_report(std::string_view text) {
  std::string safe;
  for (std::size_t offset = 0; offset < text.size();) {
    const auto point = decode_utf8(text, offset);
    const auto part = text.substr(offset, point.bytes);
    const auto value = point.value.value_or(U'\ufffd');
    if ((value >= ' ' && value < 0x7f) || value == '\n' || value == '\t')
      safe += part;
    else if (!point.value)
      safe += "\ufffd";
    else
      safe += printable(part) == part ? std::string(part) : formatted("\\u%04x", static_cast<unsigned>(value));
    offset += point.bytes;
  }
  return safe;
}

void write_report(std::string_view text) { write_result(printable_report(text)); }

OutputFile::OutputFile(const std::optional<std::filesystem::path>& path) {
  if (path) file_.emplace(*path);
}

void OutputFile::write(std::string_view text) {
  if (file_) return file_->write(text);
  write_result(text);
}

void OutputFile::commit() {
  if (file_) file_->commit();
}

}  // namespace gloss
