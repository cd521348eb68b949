#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace gloss {

/// Number of pairs to hold out of a text: 1 %, at least 50 and at most 1,000, but never more than a tenth.
std::int64_t pairs_to_hold_out(std::int64_t pairs);

/// Sentence pairs of a training text that are kept out of training, to validate on. The choice is a function of the
/// text's pairs alone, not of their order: the pairs with the smallest hashes among those whose source and target
/// occur in no other pair of the text and have at most 1,000 bytes. All repetitions of a held-out pair are held out,
/// too.
class HoldOut {
 public:
  bool contains(std::string_view source, std::string_view target) const;
  /// The chosen pairs, each once: line i of one is the translation of line i of the other.
  const std::vector<std::string>& sources() const { return sources_; }
  const std::vector<std::string>& targets() const { return targets_; }
  /// Pairs of the text, with repetitions, that have text on both sides.
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
  /// Ends the choice. May choose fewer pairs than wanted, or none, where most pairs share a side with another.
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
