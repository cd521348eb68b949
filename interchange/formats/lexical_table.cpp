#include "interchange/formats/lexical_table.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "common/error.h"
#include "common/text/printable.h"
#include "interchange/formats/settings_file.h"

namespace gloss {
namespace {

constexpr std::uint64_t kLexicalMagic = 0xF11A48D5013417F5;
constexpr std::size_t kMaxLexicalBytes = std::size_t{256} << 20;  // Firefox's tables have 2 to 8 MB

struct LexicalHeader {
  std::uint64_t magic, checksum, frequent, best, offsets, tokens;
};
static_assert(sizeof(LexicalHeader) == 48);
constexpr std::size_t kSummed = 16;  // the checksum is that of the bytes from here on

/// Returns Marian's hash of the whole words of 64 bits; the bytes after them do not count.
std::uint64_t marian_checksum(std::string_view bytes) {
  std::uint64_t sum = 0, word = 0;
  for (; bytes.size() >= sizeof word; bytes.remove_prefix(sizeof word)) {
    std::memcpy(&word, bytes.data(), sizeof word);
    sum ^= word + 0x9e3779b9 + (sum << 6) + (sum >> 2);
  }
  return sum;
}

}  // namespace

LexicalTable parse_lexical_table(std::string_view bytes, const std::string& name, const LexicalSizes& sizes) {
  const auto expect = [&](bool holds, const std::string& what) {
    if (!holds) throw ModelError(name + ": " + what);
  };
  const auto count = [](std::uint64_t number) { return std::to_string(number); };
  LexicalHeader header{};
  std::memcpy(&header, bytes.data(), std::min(bytes.size(), sizeof header));
  expect(header.magic == kLexicalMagic,
         "wanted a lexical table of Marian in its binary format, got another file; marian-conv --shortlist makes one "
         "of a text");
  expect(bytes.size() >= sizeof header,
         "wanted a header of 48 bytes, got " + count(bytes.size()) + "; the file is cut short");
  expect(header.offsets == sizes.source + 1, "wanted " + count(sizes.source + 1) +
                                                 " offsets, one more than there are source pieces, got " +
                                                 count(header.offsets) + "; it belongs to another vocabulary");
  const auto content = bytes.size() - sizeof header;
  const auto offset_bytes = header.offsets * sizeof(std::uint64_t);
  expect(content >= offset_bytes && (content - offset_bytes) % sizeof(std::uint32_t) == 0 &&
             (content - offset_bytes) / sizeof(std::uint32_t) == header.tokens,
         "wanted " + count(header.offsets) + " offsets and " + count(header.tokens) + " pieces, got a file of " +
             count(bytes.size()) + " bytes; it is cut short or damaged");
  expect(marian_checksum(bytes.substr(kSummed)) == header.checksum,
         "wanted the checksum of its header, got another; the file is damaged");
  LexicalTable table{header.frequent, std::vector<std::uint64_t>(header.offsets),
                     std::vector<std::uint32_t>(header.tokens)};
  std::memcpy(table.offsets.data(), bytes.data() + sizeof header, offset_bytes);
  if (!table.tokens.empty())
    std::memcpy(table.tokens.data(), bytes.data() + sizeof header + offset_bytes, content - offset_bytes);
  expect(table.offsets.front() == 0 && table.offsets.back() == header.tokens && std::ranges::is_sorted(table.offsets),
         "wanted offsets that ascend from 0 to " + count(header.tokens));
  const auto outside = std::ranges::find_if(table.tokens, [&](auto token) { return token >= sizes.target; });
  expect(outside == table.tokens.end(), "wanted target pieces from 0 to " + count(sizes.target - 1) + ", got " +
                                            count(outside == table.tokens.end() ? 0 : *outside) +
                                            "; it belongs to another vocabulary");
  return table;
}

std::string lexical_table_bytes(const LexicalTable& table) {
  const auto raw = [](const auto& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  std::uint64_t best = 0;  // the length of the longest list; Marian prints it
  for (std::size_t i = 1; i < table.offsets.size(); ++i) best = std::max(best, table.offsets[i] - table.offsets[i - 1]);
  const std::array<std::uint64_t, 4> sizes{table.frequent, best, table.offsets.size(), table.tokens.size()};
  const auto summed = raw(sizes) + raw(table.offsets) + raw(table.tokens);
  return raw(std::array{kLexicalMagic, marian_checksum(summed)}) + summed;
}

LexicalTable read_lexical_table(const std::filesystem::path& path, const LexicalSizes& sizes) {
  return parse_lexical_table(read_model_text(path, kMaxLexicalBytes), printable(path.string()), sizes);
}

}  // namespace gloss
