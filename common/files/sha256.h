#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
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

/// Computes a number that differs for other bytes of the same size: surely if they differ within 8 bytes at a multiple
/// of 8, else almost surely. Several times as fast as SHA-256, and no protection against intent.
class Fingerprint {
 public:
  /// Adds bytes. Each part except the last must have a multiple of 64 bytes; how the bytes are cut does not matter
  /// then.
  void update(std::span<const std::byte> bytes);
  std::uint64_t value() const;

 private:
  std::array<std::uint64_t, 8> sums_{1, 2, 3, 4,
                                     5, 6, 7, 8};  ///< independent of each other, so that they are computed in parallel
};

}  // namespace gloss
