#include "common/files/file_kind.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "common/text/utf8.h"

namespace gloss {
namespace {

struct Format {
  std::string_view magic, kind;
};
constexpr std::array<Format, 12> kFormats = {{{"PK\x03\x04", "a zip archive, as torch.save and NumPy write"},
                                              {"\x80\x02", "a pickle, as torch.save writes"},
                                              {"\x80\x04", "a pickle"},
                                              {"\x1f\x8b", "gzip: decompress it first"},
                                              {"GGUF", "a GGUF file"},
                                              {"\x89HDF", "an HDF5 file"},
                                              {"version ", "a Git LFS pointer: fetch the file itself"},
                                              {"\x7f"
                                               "ELF",
                                               "a program or a library"},
                                              {"\xff\xfe", "UTF-16"},
                                              {"\xfe\xff", "UTF-16"},
                                              {"{", "a JSON text"},
                                              {"[", "a JSON text"}}};

/// Recognizes the first piece of a SentencePiece model: a message with its length; in it a text with its length and,
/// after that, an optional score (5 bytes) and an optional type (2).
bool begins_as_sentencepiece(std::string_view start) {
  if (start.size() < 4 || start[0] != '\n' || start[2] != '\n') return false;
  const int beside_text = start[1] - start[3] - 2;
  return start[3] > 0 && (beside_text == 0 || beside_text == 5 || beside_text == 7);
}

/// Returns whether the bytes are text. The last character may be incomplete.
bool is_plain_text(std::string_view start) {
  const auto printed = [](unsigned char c) { return c >= 0x20 || c == '\t' || c == '\n' || c == '\r'; };
  if (!std::ranges::all_of(start, printed)) return false;
  const auto invalid = first_invalid_utf8(start);
  return !invalid || *invalid + 4 > start.size();
}

}  // namespace

std::string_view file_kind(std::string_view start) {
  if (start.empty()) return "an empty file";
  if (begins_as_sentencepiece(start)) return "a SentencePiece model";
  constexpr std::size_t kLength = 8;  // bytes of a safetensors header's length
  if (start.size() > kLength && start.substr(kLength).starts_with("{\"") && start[kLength - 1] == '\0')
    return "a safetensors file";
  for (const auto& [magic, kind] : kFormats)
    if (start.starts_with(magic)) return kind;
  auto text = start.substr(start.starts_with("\xef\xbb\xbf") ? 3 : 0);  // a byte order mark
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (text.starts_with('{') || text.starts_with('[')) return "a JSON text";
  return !text.empty() && is_plain_text(start) ? "a text" : std::string_view();
}

}  // namespace gloss
