#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "common/random.h"
#include "data/grammar/sentence.h"

namespace gloss::grammar {

/// The words that fit a slot, and the sentences that come of choosing among them.
class Chooser {
 public:
  explicit Chooser(const Grammar& grammar) : lexicon_(grammar.lexicon()) {}

  /// A pattern of the construction, every slot filled by chance: every value is drawn from `random`, which is to be
  /// another one each time. Nothing where the words do not go together, as when a noun came twice.
  std::optional<Sentence> draw(const Construction& construction, const RandomStream& random);
  /// Exactly how many ways there are to fill the slots of all patterns of the construction.
  std::uint64_t count(const Construction& construction);

 private:
  const std::vector<const Entry*>& words(const Slot& slot, const Entry* governor);
  std::vector<const Entry*> determiners(const Slot& slot, const Entry& noun) const;
  std::vector<const Entry*> attributes(const Slot& slot, const Entry& noun) const;
  std::uint64_t count_from(Sentence& sentence, std::size_t slot);

  const Lexicon& lexicon_;
  std::map<std::pair<const Slot*, const Entry*>, std::vector<const Entry*>> words_;
  std::map<std::pair<const Slot*, const Entry*>, std::uint64_t> stands_;  ///< ways in which a noun may stand
};

}  // namespace gloss::grammar
