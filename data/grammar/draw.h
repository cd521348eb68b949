#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "common/random.h"
#include "data/grammar/sentence.h"

namespace gloss::grammar {

/// Draws sentences: fills the slots of a pattern with words that fit.
class Chooser {
 public:
  explicit Chooser(const Grammar& grammar) : lexicon_(grammar.lexicon()) {}

  /// Draws a pattern of the construction and a word for each slot from `random`; pass another stream each time. Returns
  /// nothing if the words do not go together, for example if a noun was drawn twice.
  std::optional<Sentence> draw(const Construction& construction, const RandomStream& random);
  /// Returns the exact number of ways to fill the slots of all patterns of the construction.
  std::uint64_t count(const Construction& construction);

 private:
  const std::vector<const Entry*>& words(const Slot& slot, const Entry* governor);
  std::vector<const Entry*> determiners(const Slot& slot, const Entry& noun) const;
  std::vector<const Entry*> attributes(const Slot& slot, const Entry& noun) const;
  std::uint64_t count_from(Sentence& sentence, std::size_t slot);

  const Lexicon& lexicon_;
  std::map<std::pair<const Slot*, const Entry*>, std::vector<const Entry*>> words_;
  std::map<std::pair<const Slot*, const Entry*>, std::uint64_t> stands_;  ///< number of phrases of a noun in a slot
};

}  // namespace gloss::grammar
