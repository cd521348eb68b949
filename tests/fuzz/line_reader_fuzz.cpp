// Lines: those of a naive splitter, however the bytes arrive. Documents, joined, are their bytes.

#include <vector>

#include "common/files/document_input.h"
#include "common/files/gzip_decoder.h"
#include "common/files/line_reader.h"
#include "common/text/split.h"
#include "tests/fuzz/fuzz_input.h"

namespace gloss {
namespace {

std::vector<TextLine> naive_lines(std::string text, LineEnds ends) {
  std::vector<TextLine> lines;
  if (text.empty()) return lines;
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  for (std::size_t i = 0; ends == LineEnds::kAnyReturn && i < text.size(); ++i) {
    if (text[i] != '\r') continue;
    text[i] = '\n';
    if (i + 1 < text.size() && text[i + 1] == '\n') text.erase(i + 1, 1);
  }
  for (const auto part : split_text(text, '\n')) lines.push_back({std::string(part)});
  lines.back().has_end = false;
  if (lines.size() > 1 && lines.back().text.empty()) lines.pop_back();
  for (auto& line : lines) {
    line.crlf = line.has_end && line.text.ends_with('\r');
    if (line.crlf) line.text.pop_back();
    line.cut = line.text.size() > LineSplitter::kMaxLineBytes;
    if (line.cut) line.text.resize(LineSplitter::kMaxLineBytes);
  }
  return lines;
}

void expect_equal(const TextLine& line, const TextLine& naive) {
  expect(line.cut == naive.cut && line.has_end == naive.has_end && (line.cut || line.crlf == naive.crlf));
  expect(line.cut ? naive.text.starts_with(line.text) && naive.text.size() - line.text.size() < 4
                  : naive.text == line.text);
}

/// Returns the text; if its size is a multiple of 16, with a long line in place of each \x01.
std::string with_long_lines(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\x01' && result.size() < 100'000 && text.size() % 16 == 0)
      for (int i = 0; i < 11'000; ++i) result += "a\xC3\xA4\xE2\x82\xAC";
    else
      result += c;
  }
  return result;
}

void check_document(std::string_view text) {
  is_read<DataError>([&] {
    std::string whole, line;
    auto input = DocumentInput::of(std::string(text), "input");
    const auto encoding = input.encoding();
    while (input.next_line(line)) {
      expect(is_text(line) && !line.empty());
      whole += line;
    }
    expect(input.bytes_read() == text.size());
    const bool is_kept = std::string(byte_order_mark(encoding)) + encode_text(whole, encoding) == text;
    expect(is_kept || whole.find("\uFFFD") != whole.npos);  // half of a surrogate pair in UTF-16
    expect(DocumentInput::of(std::string(text), "input").rest(whole.size()) == whole);
  });
}

void check_gzip(std::string_view bytes, std::size_t part) {
  is_read<DataError>([&] {
    GzipDecoder decoder("input");
    for (; !bytes.empty(); bytes.remove_prefix(std::min(part, bytes.size()))) {
      decoder.feed(bytes.substr(0, part));
      while (!decoder.decode().empty()) continue;
    }
    decoder.finish();
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto input = input_text(data, size);
  const auto mode = take_byte(input);
  const auto ends = mode % 2 == 0 ? LineEnds::kLineFeed : LineEnds::kAnyReturn;
  const auto text = with_long_lines(input);
  const std::size_t part = 1 + mode / 2 * (text.size() > size ? 1000 : 1);
  const auto naive = naive_lines(text, ends);
  LineSplitter splitter(ends);
  TextLine line;
  std::size_t count = 0;
  const auto take = [&] {
    expect(count < naive.size());
    expect_equal(line, naive[count++]);
  };
  for (std::size_t place = 0; place < text.size(); place += part)
    for (auto bytes = std::string_view(text).substr(place, part); !bytes.empty();)
      if (splitter.next(bytes, line)) take();
  if (splitter.finish(line)) take();
  expect(count == naive.size());
  check_document(text);
  if (GzipDecoder::recognizes(text)) check_gzip(text, part);
  return 0;
}

}  // namespace gloss
