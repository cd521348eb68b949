#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/special_ids.h"
#include "decoding/phrase.h"

namespace gloss {

/// The progress of a target with its required phrases, piece by piece. Each phrase needs pieces of its own; if several
/// phrases begin alike, the longest generated one counts. Of alternatives one is required; until one begins, the
/// longest counts as missing. A partial match that fails, or whose last word is continued,
/// is dropped; matching restarts at the longest suffix that begins another phrase.
class PhraseProgress {
 public:
  /// `continues_word` [V]: 1 for pieces that continue the word before them. Both must outlive the progress.
  PhraseProgress(std::span<const Phrase> phrases, std::span<const std::uint8_t> continues_word);

  /// Adds the next piece of the target.
  void add(Id id);

  /// Returns the number of missing pieces; 0 if every phrase is complete. Without alternatives one piece lowers it by
  /// at most 1.
  std::int64_t missing() const { return unmet_ - matched_pieces_; }
  /// Returns the number of missing pieces after one more piece.
  std::int64_t missing_after(Id id) const;
  /// Returns for each phrase whether one more piece would begin or continue it. Equal phrases count alike.
  std::vector<bool> continued_by(Id id) const;
  /// Returns the pieces, ascending, each of which would lower the number of missing pieces; none if it is 0.
  Ids next() const;

 private:
  struct Match;

  Match after(Id id) const;
  bool is_met(std::size_t phrase, const Match& match) const;
  bool begins_unmet(const Match& match) const;
  std::int64_t pieces_of(const Match& match) const;
  void break_off(Match& match) const;

  std::span<const Phrase> phrases_;
  std::span<const std::uint8_t> continues_word_;
  std::vector<bool> met_;             ///< of `phrases_`
  std::vector<std::int64_t> needed_;  ///< pieces of each phrase's longest alternative
  std::int64_t unmet_ = 0;            ///< number of pieces of the incomplete phrases
  Ids matched_;                       ///< the partial match: the last pieces, which begin an incomplete phrase
  std::int64_t matched_pieces_ = 0;   ///< by which the partial match lowers `unmet_`
};

}  // namespace gloss
