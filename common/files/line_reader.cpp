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

namespace gloss {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

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

bool LineReader::next(std::string& line) {
  TextLine next;
  bool any = false;
  while (!any && (!rest_.empty() || fill())) any = splitter_.next(rest_, next);
  if (!any && !splitter_.finish(next)) return false;
  line = std::move(next.text);
  overlong_ = next.cut;
  crlf_ = next.crlf;
  saw_crlf_ |= crlf_;
  path_.select(line, ++line_number_);
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
