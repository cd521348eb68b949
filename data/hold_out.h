#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace gloss {

/// Returns the number of pairs to hold out of a text: 1 %, at least 50 and at most 1,000, but never more than a tenth.
std::int64_t pairs_to_hold_out(std::int64_t pairs);

/// Sentence pairs of a training text that are kept out of training, to validate on. The choice depends on the text's
/// pairs, not on their order. Candidates are the pairs of at most 1,000 bytes a side whose source and target occur in
/// no other pair; those with the smallest hashes are held out. All repetitions of a held-out pair are held out, too.
/// With them, and among the different pairs alone, it is never more than a tenth.
class HoldOut {
 public:
  /// Returns whether the pair is held out.
  bool contains(std::string_view source, std::string_view target) const;
  /// Returns the held-out pairs, each once: line i of the targets is the translation of line i of the sources.
  const std::vector<std::string>& sources() const { return sources_; }
  const std::vector<std::string>& targets() const { return targets_; }
  /// Returns the number of usable pairs of the text, repetitions included.
  std::int64_t pairs_of_text() const { return pairs_of_text_; }

 private:
  friend class HoldOutChoice;

  std::vector<std::string> sources_, targets_;
  std::unordered_set<std::uint64_t> hashes_;
  std::int64_t pairs_of_text_ = 0;
};

/// Chooses the pairs to hold out in one pass over the text. Memory: 16 bytes a pair, until the choice is made.
class HoldOutChoice {
 public:
  /// Adds a usable pair of the text (data/pair_verdict.h).
  void add(std::string_view source, std::string_view target);
  /// Ends the choice and returns it. Fewer pairs than pairs_to_hold_out are chosen, possibly 0, if most pairs share a
  /// side with another.
  HoldOut choose();

 private:
  struct Sides {
    std::uint64_t source, target;  ///< hashes
  };
  struct Candidate {
    Sides hashes;
    std::string source, target;
  };

  std::map<std::uint64_t, Candidate> candidates_;  ///< by the hash of the pair
  std::deque<Sides> pairs_;                        ///< of the text
};

}  // namespace gloss
