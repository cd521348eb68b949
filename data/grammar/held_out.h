#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/random.h"
#include "data/grammar/sentence.h"

namespace gloss::grammar {

/// What a sentence combines: a verb with a noun in a role ("eat object apple"), an adjective with a noun ("red apple"),
/// a construction with a verb or, where it has none, with a noun. Personal pronouns do not count.
std::vector<std::string> combinations(const Sentence& sentence);

/// A share of all combinations, the same ones for the same stream: each is held out or not by a hash of its name.
class HeldOut {
 public:
  HeldOut(const RandomStream& random, double share) : random_(random), share_(share) {}

  bool holds(const std::string& combination);
  /// Whether one of the sentence's combinations is held out.
  bool holds_any(const Sentence& sentence);

 private:
  RandomStream random_;
  double share_;
  std::map<std::string, bool> known_;
};

}  // namespace gloss::grammar
