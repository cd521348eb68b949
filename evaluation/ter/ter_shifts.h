#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "evaluation/ter/ter_edit_distance.h"

namespace gloss {

/// How many edits TER needs from a hypothesis to a reference (Snover et al. 2006, section 2): insertions, deletions,
/// substitutions, and shifts of a block of words. As long as one helps, the shift is done that leaves the shortest edit
/// distance. Which are tried, and how many of them, follows sacreBLEU and through it Tercom.
///
/// Keeps its memory from pair to pair.
class TerShifts {
 public:
  /// Words are -1 where the reference does not have them, else numbers below the reference's length.
  std::int64_t edits(TerWords hypothesis, TerWords reference);

 private:
  /// Takes `length` words from `start` and puts them before word `target`, or where that is one of them or the next,
  /// so far on as it is behind `start`.
  struct Shift {
    std::size_t start, length, target;
    std::int32_t gain = 0;  // by how much it shortens the edit distance
  };

  std::optional<Shift> best_shift(std::int32_t distance);
  void try_targets(std::int32_t distance, Shift shift, std::size_t reference_start, std::optional<Shift>& best);
  std::int32_t distance_behind(const Shift& shift);

  TerWords reference_;
  std::vector<std::int32_t> words_;    // the hypothesis, as shifted so far
  std::vector<std::int32_t> shifted_;  // the same but while a shift is tried
  TerEditDistance edit_distance_;
  TerAlignment alignment_;
  std::int32_t shortest_ = 0;  // no order of the words has a shorter edit distance
  int tried_ = 0;
};

}  // namespace gloss
