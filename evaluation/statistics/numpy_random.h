#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace gloss {

/// NumPy's PCG64 (O'Neill 2014, "PCG", XSL-RR 128/64) as numpy.random.default_rng(seed) makes it, seeded through
/// SeedSequence. A small value: a copy draws what the original would have drawn.
class Pcg64 {
 public:
  /// `seed`: a whole number, 32 bits at a time, the lowest first; empty is 0.
  explicit Pcg64(std::span<const std::uint32_t> seed);

  std::uint64_t next64();
  /// The lower half of 64 bits, then the upper.
  std::uint32_t next32();
  /// A whole number below `bound`, by Lemire's method with rejection: an element of integers(bound), or of
  /// choice(bound). Of a bound of 1 nothing is drawn.
  std::uint32_t below(std::uint32_t bound);
  /// As `draws` calls of next32.
  void skip32(std::uint64_t draws);

 private:
  __extension__ using Wide = unsigned __int128;

  void step();
  void advance(std::uint64_t steps);

  Wide state_ = 0, increment_ = 0;
  std::optional<std::uint32_t> upper_;  // the half that next32 has not given out yet
};

}  // namespace gloss
