#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gloss {

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
