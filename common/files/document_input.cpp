#include "common/files/document_input.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/text/format.h"
#include "common/text/printable.h"
#include "common/text/split.h"
#include "common/text/utf8.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

constexpr std::size_t kReadBytes = 1 << 18;

bool is_utf16(TextEncoding encoding) {
  return encoding != TextEncoding::kUtf8 && encoding != TextEncoding::kUtf8WithMark;
}
bool is_big_endian(TextEncoding encoding) {
  return encoding == TextEncoding::kUtf16Big || encoding == TextEncoding::kUtf16BigWithMark;
}

TextEncoding encoding_of(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF"sv)) return TextEncoding::kUtf8WithMark;
  if (head.starts_with("\xFF\xFE"sv)) return TextEncoding::kUtf16LittleWithMark;
  if (head.starts_with("\xFE\xFF"sv)) return TextEncoding::kUtf16BigWithMark;
  if (head.size() < 4) return TextEncoding::kUtf8;
  const auto zero = [&](std::size_t i) { return head[i] == '\0'; };
  if (!zero(0) && zero(1) && !zero(2) && zero(3)) return TextEncoding::kUtf16Little;
  if (zero(0) && !zero(1) && zero(2) && !zero(3)) return TextEncoding::kUtf16Big;
  return TextEncoding::kUtf8;
}

char32_t unit_at(std::string_view bytes, std::size_t offset, bool big) {
  const auto first = static_cast<unsigned char>(bytes[offset]), second = static_cast<unsigned char>(bytes[offset + 1]);
  return big ? static_cast<char32_t>(first << 8 | second) : static_cast<char32_t>(second << 8 | first);
}

/// Appends UTF-16 as UTF-8, up to the last complete character, and returns the number of bytes read. Half of a
/// surrogate pair becomes U+FFFD.
std::size_t append_utf16(std::string_view bytes, bool big, bool at_end, std::string& text) {
  std::size_t offset = 0;
  while (offset + 2 <= bytes.size()) {
    auto character = unit_at(bytes, offset, big);
    const bool high = character >= 0xD800 && character < 0xDC00;
    if (high && offset + 4 > bytes.size() && !at_end) break;
    offset += 2;
    const auto low = high && offset + 2 <= bytes.size() ? unit_at(bytes, offset, big) : U'\0';
    if (low >= 0xDC00 && low < 0xE000) {
      character = 0x10000 + ((character - 0xD800) << 10) + (low - 0xDC00);
      offset += 2;
    } else if (character >= 0xD800 && character < 0xE000) {
      character = U'\uFFFD';
    }
    append_utf8(character, text);
  }
  return offset;
}

/// Returns where a line of at most kMaxLineBytes that has no end is cut: after white space, else between characters.
std::size_t cut_of(std::string_view text) {
  const auto part = text.substr(0, DocumentInput::kMaxLineBytes);
  if (const auto space = part.find_last_of(" \t"); space != part.npos && space > part.size() / 2) return space + 1;
  const auto last = last_character(part);
  return is_utf8(part.substr(last)) || last == 0 ? part.size() : last;
}

}  // namespace

DocumentInput::DocumentInput(const fs::path& path, std::string name) : name_(std::move(name)) {
  std::error_code error;
  const auto type = fs::status(path, error).type();
  if (type == fs::file_type::not_found) throw DataError(name_ + ": wanted a document, but it is not there");
  if (type == fs::file_type::directory) throw DataError(name_ + ": wanted a document, got a folder");
  auto file = open_regular_file(path);
  if (!file) throw DataError(name_ + ": wanted a document in a file, got a pipe or a device");
  file_ = std::move(file->descriptor);
  begin();
}

DocumentInput DocumentInput::of(std::string bytes, std::string name) {
  DocumentInput input(std::move(name));
  input.undecoded_ = std::move(bytes);
  input.begin();
  return input;
}

void DocumentInput::begin() {
  if (file_.is_open()) {
    undecoded_.resize(kReadBytes);
    undecoded_.resize(read_up_to(file_, std::as_writable_bytes(std::span(undecoded_)), name_));
  }
  ended_ = !file_.is_open() || undecoded_.empty();
  encoding_ = encoding_of(undecoded_);
  const auto bytes = std::exchange(undecoded_, {});
  const auto mark = byte_order_mark(encoding_).size();
  read_ = bytes.size();
  decode(std::string_view(bytes).substr(mark), ended_);
}

bool DocumentInput::fill() {
  if (ended_) return false;
  text_.erase(0, std::exchange(begin_, 0));
  std::string bytes(kReadBytes, '\0');
  bytes.resize(read_up_to(file_, std::as_writable_bytes(std::span(bytes)), name_));
  read_ += bytes.size();
  ended_ = bytes.size() < kReadBytes;
  decode(bytes, ended_);
  return true;
}

void DocumentInput::decode(std::string_view bytes, bool at_end) {
  if (!is_utf16(encoding_)) {
    text_ += bytes;
    return;
  }
  undecoded_ += bytes;
  undecoded_.erase(0, append_utf16(undecoded_, is_big_endian(encoding_), at_end, text_));
  if (at_end && !undecoded_.empty())
    throw DataError(name_ + ": wanted UTF-16, but it ends in the middle of a character; the file is cut or damaged");
}

bool DocumentInput::next_line(std::string& line) {
  std::size_t end = text_.npos;
  for (auto from = begin_;;) {
    const auto window = std::string_view(text_).substr(0, begin_ + kMaxLineBytes + 1);
    end = window.find_first_of("\r\n", from);
    const auto length = std::min(end, window.size()) - begin_;
    if (length > kMaxLineBytes) {
      end = text_.npos;
      break;
    }
    // A CR at the end of what was read may have an LF after it.
    if (end != text_.npos && (text_[end] == '\n' || end + 1 < text_.size() || ended_)) break;
    if (!fill()) break;
    from = begin_ + length;
  }
  const bool is_cut = end == text_.npos && text_.size() - begin_ > kMaxLineBytes;
  auto stop = text_.size();
  if (is_cut) stop = begin_ + cut_of(std::string_view(text_).substr(begin_));
  if (end != text_.npos) stop = end + (std::string_view(text_).substr(end).starts_with("\r\n") ? 2 : 1);
  line.assign(text_, begin_, stop - begin_);
  begin_ = stop;
  if (line.empty()) return false;
  if (!std::exchange(line_open_, is_cut)) ++line_;
  if (!is_text(line))
    throw DataError(name_ + ": line " + std::to_string(line_) + ": wanted text in UTF-8 or UTF-16, got " +
                    (is_utf8(line) ? "a NUL byte; remove it (tr -d '\\0')"
                                   : "other bytes; convert it (iconv -f ENCODING -t UTF-8)"));
  return true;
}

std::string DocumentInput::rest(std::size_t limit) {
  std::string text, line;
  while (next_line(line)) {
    if (text.size() + line.size() > limit)
      throw DataError(name_ + ": wanted a document of at most " + bytes_text(limit) +
                      ", because this format is read as a whole; split it");
    text += line;
  }
  return text;
}

std::string encode_text(std::string_view text, TextEncoding encoding) {
  if (!is_utf16(encoding)) return std::string(text);
  const bool big = is_big_endian(encoding);
  std::string bytes;
  const auto add = [&](char32_t unit) {
    const auto high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xFF);
    bytes += big ? high : low;
    bytes += big ? low : high;
  };
  for_each_character(text, [&](auto value, auto) {
    const auto character = value.value_or(U'\uFFFD');
    if (character < 0x10000) return add(character);
    add(0xD800 + ((character - 0x10000) >> 10));
    add(0xDC00 + ((character - 0x10000) & 0x3FF));
  });
  return bytes;
}

std::string_view byte_order_mark(TextEncoding encoding) {
  switch (encoding) {
    case TextEncoding::kUtf8WithMark:
      return "\xEF\xBB\xBF"sv;
    case TextEncoding::kUtf16LittleWithMark:
      return "\xFF\xFE"sv;
    case TextEncoding::kUtf16BigWithMark:
      return "\xFE\xFF"sv;
    default:
      return {};
  }
}

}  // namespace gloss
