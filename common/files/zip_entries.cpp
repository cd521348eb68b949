#include "common/files/zip_entries.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace gloss {
namespace {

/// Returns a number of `size` bytes, little-endian, from `offset` of a text on.
std::uint64_t number_at(std::string_view text, std::size_t offset, std::size_t size) {
  std::uint64_t number = 0;
  std::memcpy(&number, text.substr(offset, size).data(), size);
  return number;
}

}  // namespace

std::uint64_t stated_zip_entries(const RegularFile& file, const std::filesystem::path& path) {
  constexpr std::size_t kEndBytes = 22, kLocatorBytes = 20, kMaxComment = 65'535, kWideBytes = 56;
  std::string end(std::min<std::uint64_t>(file.size, kEndBytes + kLocatorBytes + kMaxComment), '\0');
  end.resize(read_up_to(file.descriptor, file.size - end.size(), std::as_writable_bytes(std::span(end)), path));
  std::uint64_t result = 0;
  for (auto at = end.find("PK\5\6"); at != end.npos && at + kEndBytes <= end.size(); at = end.find("PK\5\6", at + 1)) {
    auto count = number_at(end, at + 10, 2);
    if (at >= kLocatorBytes && end.compare(at - kLocatorBytes, 4, "PK\6\7") == 0) {  // ZIP64
      std::string wide(kWideBytes, '\0');
      const auto offset = std::min(number_at(end, at - kLocatorBytes + 8, 8), file.size);
      const auto got = read_up_to(file.descriptor, offset, std::as_writable_bytes(std::span(wide)), path);
      count = got == kWideBytes ? number_at(wide, 32, 8) : 0;
    }
    result = std::max(result, count);
  }
  return result;
}

}  // namespace gloss
