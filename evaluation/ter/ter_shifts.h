#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "evaluation/ter/ter_edit_distance.h"

namespace gloss {

/// Counts TER's edits from a hypothesis to a reference (Snover et al. 2006, section 2): insertions, deletions,
/// substitutions, and shifts of a block of words. As long as a shift helps, the one with the shortest resulting edit
/// distance is made. The shifts tried, and their number, follow sacreBLEU and thus Tercom.
///
/// Reuses its memory from pair to pair.
class TerShifts {
 public:
  /// Returns the number of edits. Words are numbers below the reference's length, or -1 if the reference lacks them.
  std::int64_t edits(TerWords hypothesis, TerWords reference);

 private:
  /// Moves `length` words from `start` before word `target`. If `target` is one of them or the next word, they move
  /// right by its distance from `start`.
  struct Shift {
    std::size_t start, length, target;
    std::int32_t gain = 0;  // reduction of the edit distance
  };

  std::optional<Shift> best_shift(std::int32_t distance);
  void try_targets(std::int32_t distance, Shift shift, std::size_t match, std::optional<Shift>& best);
  std::int32_t distance_after(const Shift& shift);

  TerWords reference_;
  std::vector<std::int32_t> words_;    // the hypothesis after the shifts so far
  std::vector<std::int32_t> shifted_;  // a copy for trying shifts
  TerEditDistance edit_distance_;
  TerAlignment alignment_;
  std::int32_t lower_bound_ = 0;  // lower bound of the edit distance over all orders of the words
  int tried_ = 0;
};

}  // namespace gloss
