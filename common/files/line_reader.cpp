#include "common/files/line_reader.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "common/error.h"
#include "common/text/printable.h"
#include "common/text/split.h"
#include "common/text/utf8.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;
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

constexpr std::size_t kBufferBytes = 1 << 16;

/// Opens a pipe and waits for a writer. Returns a closed descriptor if `path` is neither a pipe nor a terminal.
Descriptor open_pipe(const fs::path& path, fs::file_type type) {
  if (type != fs::file_type::fifo && type != fs::file_type::character) return {};
  Descriptor descriptor(retry_interrupted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY); }));
  if (!descriptor.is_open()) throw_io_error(path, "open");
  if (type == fs::file_type::character && ::isatty(descriptor.get()) == 0) return {};
  return descriptor;
}

Descriptor open_text(const fs::path& path, Passes passes) {
  std::error_code error;
  const auto type = fs::status(path, error).type();
  if (type == fs::file_type::not_found)
    throw DataError(printable(path.string()) + ": wanted a text file, but it is not there");
  if (type == fs::file_type::none) throw IoError(printable(path.string()) + ": cannot look at: " + error.message());
  if (type == fs::file_type::directory)
    throw DataError(printable(path.string()) + ": wanted a text file, got a folder");
  if (passes == Passes::kOne)
    if (auto pipe = open_pipe(path, type); pipe.is_open()) return pipe;
  auto file = type == fs::file_type::regular ? open_regular_file(path) : std::nullopt;
  if (!file)
    throw UsageError(printable(path.string()) + ": wanted a text file, got " +
                     (passes == Passes::kOne
                          ? "a device"
                          : "a pipe or a device; a text needs several passes, so write it to a file first"));
  return std::move(file->descriptor);
}

/// Recognizes bzip2. "BZh" alone may begin a text; the level and the mark of a block, or of the end in an empty file,
/// follow it.
bool is_bzip2(std::string_view head) {
  constexpr auto kBlock = "\x31\x41\x59\x26\x53\x59"sv, kEnd = "\x17\x72\x45\x38\x50\x90"sv;
  if (head.size() < 4 || !head.starts_with("BZh"sv) || head[3] < '1' || head[3] > '9') return false;
  head.remove_prefix(4);
  return head.starts_with(kBlock) || head.starts_with(kEnd);
}

/// Recognizes a tar archive: the mark follows the first file's name, owner, size and times.
bool is_tar(std::string_view head) {
  constexpr std::size_t kMarkOffset = 257;
  return head.size() > kMarkOffset && head.substr(kMarkOffset).starts_with("ustar"sv);
}

// Throws DataError if the first bytes belong to a format that is not plain text.
void expect_text(std::string_view head, const fs::path& path) {
  constexpr std::array kCompressed{std::pair{"\xFD"
                                             "7zXZ\0"sv,
                                             "xz"},
                                   std::pair{"\x28\xB5\x2F\xFD"sv, "zstd"}, std::pair{"PK\x03\x04"sv, "zip"}};
  const auto refuse = [&path](const char* format) {
    throw DataError(printable(path.string()) + ": wanted plain text, got " + format + "; decompress it first");
  };
  if (is_bzip2(head)) refuse("bzip2");
  if (is_tar(head))
    throw DataError(printable(path.string()) + ": wanted plain text, got a tar archive; unpack it first");
  for (const auto& [magic, format] : kCompressed)
    if (head.starts_with(magic)) refuse(format);
  if (head.starts_with("\xFF\xFE"sv) || head.starts_with("\xFE\xFF"sv))
    throw DataError(printable(path.string()) +
                    ": wanted UTF-8, got UTF-16; convert it first (iconv -f UTF-16 -t UTF-8)");
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
  line = {std::exchange(text_, {}), false, false, with_end};
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

TextPath TextPath::of(const std::filesystem::path& path) {
  const auto& name = path.native();
  const auto colon = name.rfind(':');
  std::error_code error;
  if (colon == name.npos || colon == 0 || fs::exists(path, error)) return {path};
  const TextPath text{name.substr(0, colon), parse_number<std::size_t>(name.substr(colon + 1)).value_or(0)};
  return text.column > 0 && fs::exists(text.file, error) ? text : TextPath{path};
}

void TextPath::select(std::string& line, std::int64_t number) const {
  if (column == 0) return;
  std::size_t begin = 0;
  for (std::size_t i = 1; i < column; ++i) {
    const auto tab = line.find('\t', begin);
    if (tab == line.npos)
      throw DataError(printable(file.string()) + ": line " + std::to_string(number) + ": wanted at least " +
                      std::to_string(column) + " columns separated by tabs, got " + std::to_string(i));
    begin = tab + 1;
  }
  line.resize(std::min(line.find('\t', begin), line.size()));
  line.erase(0, begin);
}

LineReader::LineReader(const std::filesystem::path& path, Passes passes, Sha256* sum)
    : path_(TextPath::of(path)), descriptor_(open_text(path_.file, passes)), sum_(sum), buffer_(kBufferBytes) {
  begin();
}

LineReader::LineReader(Descriptor descriptor, const std::string& name, LineEnds ends)
    : path_{name}, descriptor_(std::move(descriptor)), buffer_(kBufferBytes), splitter_(ends) {
  begin();
}

void LineReader::begin() {
  auto head = read();
  if (GzipDecoder::recognizes(head)) {
    gzip_ = std::make_unique<GzipDecoder>(path_.file.string());
    gzip_->feed(head);
    fill();
  } else {
    take(head);
  }
  expect_text(rest_, path_.file);
}

bool LineReader::next(TextLine& line) {
  bool any = false;
  while (!any && (!rest_.empty() || fill())) any = splitter_.next(rest_, line);
  if (!any && !splitter_.finish(line)) return false;
  overlong_ = line.cut;
  saw_crlf_ |= line.crlf;
  path_.select(line.text, ++line_number_);
  return true;
}

bool LineReader::next(std::string& line) {
  TextLine next;
  if (!this->next(next)) return false;
  line = std::move(next.text);
  return true;
}

bool LineReader::fill() {
  if (!gzip_) return take(read());
  for (;;) {
    if (const auto text = gzip_->decode(); !text.empty()) return take(text);
    const auto bytes = read();
    if (bytes.empty()) break;
    gzip_->feed(bytes);
  }
  gzip_->finish();
  return false;
}

bool LineReader::take(std::string_view text) {
  rest_ = text;
  if (sum_ != nullptr) sum_->update(text);
  return !text.empty();
}

// Returns the next bytes of the file; empty at its end.
std::string_view LineReader::read() {
  if (ended_) return {};
  const auto bytes = read_up_to(descriptor_, std::as_writable_bytes(std::span(buffer_)), path_.file);
  // At a terminal, another read would wait for a second Ctrl-D.
  ended_ = bytes < buffer_.size();
  return {buffer_.data(), bytes};
}

}  // namespace gloss
