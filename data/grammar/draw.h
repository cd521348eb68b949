#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/random.h"
#include "data/grammar/sentence.h"

namespace gloss::grammar {

/// Returns whether the word in `slot` goes with those of the filled slots before it. No word occurs twice, there is at
/// most one personal pronoun, and an adjective of a comparison must suit both nouns.
bool goes_together(const Sentence& sentence, std::size_t slot);

/// Draws sentences: fills the slots of a pattern with words that fit.
class Chooser {
 public:
  explicit Chooser(const Grammar& grammar) : lexicon_(grammar.lexicon()) {}

  /// Draws a pattern of the construction and a word for each slot from `random`; pass another stream each time. Returns
  /// nothing if the words do not go together, for example if a noun was drawn twice.
  std::optional<Sentence> draw(const Construction& construction, const RandomStream& random);

  /// Returns the words that fit a slot. `governor` is the word that the slot depends on, or null.
  const std::vector<const Entry*>& words(const Slot& slot, const Entry* governor);
  /// Return the determiners and the adjectives that a noun of the slot may have.
  std::vector<const Entry*> determiners(const Slot& slot, const Entry& noun) const;
  std::vector<const Entry*> attributes(const Slot& slot, const Entry& noun) const;

 private:
  const Lexicon& lexicon_;
  std::map<std::pair<const Slot*, const Entry*>, std::vector<const Entry*>> words_;
};

/// Returns the word combinations of a sentence: a verb with a noun in a role ("eat object apple"), and an adjective
/// with a noun ("red apple"). Its construction is combined with each verb and with each noun that has no role. Personal
/// pronouns do not count.
std::vector<std::string> combinations(const Sentence& sentence);

/// A share of all combinations, chosen by the stream and the name of the combination.
class HeldOut {
 public:
  HeldOut(const RandomStream& random, double share) : random_(random), share_(share) {}

  /// Returns whether the combination is held out.
  bool holds(const std::string& combination);
  /// Returns whether one of the sentence's combinations is held out.
  bool holds_any(const Sentence& sentence);

 private:
  RandomStream random_;
  double share_;
  std::map<std::string, bool> known_;
};

}  // namespace gloss::grammar
