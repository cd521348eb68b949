#include "common/text/line_splitter.h"

#include <utility>

#include "common/text/utf8.h"

namespace gloss {
namespace {

using namespace std::string_view_literals;

constexpr auto kByteOrderMark = "\xEF\xBB\xBF"sv;
// Capacity for a byte order mark, a CR and one more byte, which cannot be distinguished from text before the line's
// end.
constexpr auto kMaxStored = LineSplitter::kMaxLineBytes + kByteOrderMark.size() + 2;

// Drops an incomplete character at the end of the text.
void drop_incomplete_character(std::string& text) {
  const auto begin = last_character(text);
  if ((text[begin] & 0x80) != 0 && !is_utf8(std::string_view(text).substr(begin))) text.resize(begin);
}

}  // namespace

bool LineSplitter::next(std::string_view& bytes, TextLine& line) {
  if (std::exchange(after_return_, false) && bytes.starts_with('\n')) bytes.remove_prefix(1);
  const auto end = ends_ == LineEnds::kAnyReturn ? bytes.find_first_of("\r\n") : bytes.find('\n');
  after_return_ = end != bytes.npos && bytes[end] == '\r';
  append(bytes.substr(0, end));
  bytes.remove_prefix(end == bytes.npos ? bytes.size() : end + 1);
  if (end != bytes.npos) end_line(true, line);
  return end != bytes.npos;
}

bool LineSplitter::finish(TextLine& line) {
  if (text_.empty()) return false;
  end_line(false, line);
  return true;
}

void LineSplitter::append(std::string_view bytes) {
  const auto kept = bytes.substr(0, kMaxStored - text_.size());
  text_ += kept;
  dropped_ |= kept.size() < bytes.size();
}

void LineSplitter::end_line(bool with_end, TextLine& line) {
  line = {std::exchange(text_, {}), false, false};
  auto& text = line.text;
  if (std::exchange(at_begin_, false) && text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  if (with_end && !std::exchange(dropped_, false) && text.ends_with('\r')) {
    text.pop_back();
    line.crlf = true;
  }
  line.cut = text.size() > kMaxLineBytes;
  if (!line.cut) return;
  text.resize(kMaxLineBytes);
  drop_incomplete_character(text);
}

}  // namespace gloss
