#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace gloss {

/// Computes SHA-256 (FIPS 180-4) of data that is passed in parts.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  void update(std::span<const std::byte> bytes);
  void update(std::string_view text);
  std::string hex();  ///< 64 lower-case digits; call it once, at the end

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

std::string sha256(std::string_view text);
/// Throws IoError if the file cannot be read or is not a regular one.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace gloss
