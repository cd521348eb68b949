#pragma once

#include <filesystem>
#include <stdexcept>
#include <string_view>

#include <zlib.h>

namespace gloss {

/// Writes a text as a member of a gzip file; `mode` "ab" appends one.
inline void write_gzip(const std::filesystem::path& path, std::string_view text, const char* mode = "wb") {
  auto* file = ::gzopen(path.c_str(), mode);
  if (file == nullptr) throw std::runtime_error("no gzip file");
  const auto written = ::gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  if (::gzclose(file) != Z_OK || written != static_cast<int>(text.size())) throw std::runtime_error("not written");
}

}  // namespace gloss
