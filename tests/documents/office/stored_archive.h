#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gloss {

/// Returns the CRC-32 of bytes.
inline std::uint32_t crc_of(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const auto c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ (0xEDB88320 & (0 - (crc & 1)));
  }
  return ~crc;
}

/// Returns a number, little-endian.
inline std::string number(std::uint64_t value, int bytes) {
  std::string result;
  for (; bytes > 0; --bytes, value >>= 8) result += static_cast<char>(value & 0xFF);
  return result;
}

/// An entry of an archive, which may state something else.
struct StoredEntry {
  std::string name, bytes;
  std::uint64_t flags = 0, stated_size = 0, method = 0;  ///< stated_size 0: the size
};

/// Returns an archive of stored entries.
inline std::string archive_of(const std::vector<StoredEntry>& entries) {
  std::string files, directory;
  for (const auto& [name, bytes, flags, stated, method] : entries) {
    const auto header = number(20, 2) + number(flags, 2) + number(method, 2) + number(0x21 << 16, 4) +
                        number(crc_of(bytes), 4) + number(bytes.size(), 4) +
                        number(stated == 0 ? bytes.size() : stated, 4) + number(name.size(), 2) + number(0, 2);
    directory += "PK\1\2" + number(20, 2) + header + number(0, 10) + number(files.size(), 4) + name;
    files += "PK\3\4" + header + name + bytes;
  }
  return files + directory + "PK\5\6" + number(0, 4) + number(entries.size(), 2) + number(entries.size(), 2) +
         number(directory.size(), 4) + number(files.size(), 4) + number(0, 2);
}

}  // namespace gloss
