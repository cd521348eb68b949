#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace gloss {

/// Consecutive pairs of a text whose lines do not belong together.
struct ShiftedLines {
  std::int64_t first = 0, last = 0;  ///< lines, in steps of LengthShifts::kBlock
  int shift = 0;                     ///< line n of the source seems to belong to line n + shift of the target
};

/// Finds blocks of lines that are shifted against each other, by the lengths of their sides: a translation of a long
/// line is long (Gale and Church 1993). Memory: 4 bytes a pair.
class LengthShifts {
 public:
  static constexpr std::size_t kBlock = 50;  ///< pairs that are judged together
  static constexpr int kMaxShift = 3;

  /// Adds the lengths of a pair in characters, of every pair in order.
  void add(std::int64_t source, std::int64_t target);
  /// Returns the shifted ranges: those in which the correlation of the logarithms of the lengths is above 0.5 at a
  /// shift, and lower by 0.3 without it.
  std::vector<ShiftedLines> shifted() const;

 private:
  double correlation(std::size_t begin, int shift) const;

  std::vector<std::uint16_t> sources_, targets_;
};

/// Finds pairs whose sides are exchanged, by the frequencies of pairs of letters in each language. The text is read
/// twice: `count` takes each pair, then `is_exchanged` judges.
class SideLanguages {
 public:
  SideLanguages();

  void count(std::string_view source, std::string_view target);
  /// Returns whether the source reads like the target's language and the target like the source's. Returns false for
  /// pairs that are too short to judge.
  bool is_exchanged(std::string_view source, std::string_view target) const;

 private:
  struct Score;
  Score score(std::string_view line) const;

  static constexpr std::size_t kBuckets = 1 << 16;  ///< hashed pairs of bytes and characters
  using Counts = std::vector<std::uint32_t>;
  Counts source_, target_;
  std::int64_t source_total_ = 0, target_total_ = 0;
};

}  // namespace gloss
