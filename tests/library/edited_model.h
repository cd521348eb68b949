#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace gloss {

/// Copies a model file and replaces a text in its header, which has no checksum.
inline void write_edited_model(const std::filesystem::path& from, const std::string& text, const std::string& other,
                               const std::filesystem::path& to) {
  std::ifstream file(from, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  auto header = bytes.substr(sizeof length, length);
  const auto place = header.find(text);
  if (place == std::string::npos) throw std::invalid_argument("the header has no " + text);
  header.replace(place, text.size(), other);
  header.resize((header.size() + 7) / 8 * 8, ' ');
  const auto tensors = bytes.substr(sizeof length + length);
  length = header.size();
  std::ofstream result(to, std::ios::binary);
  result.write(reinterpret_cast<const char*>(&length), sizeof length);
  result << header << tensors;
}

}  // namespace gloss
