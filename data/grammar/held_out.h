#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/random.h"
#include "data/grammar/sentence.h"

namespace gloss::grammar {

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
